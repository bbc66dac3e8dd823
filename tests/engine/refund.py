"""A refund handled by a planner and an executor: three requests, and a fourth message that corrects the third answer."""

from viva.engine.model import Interaction, Step, Tool, ToolCall, Trace, TraceAgent, Turn

QUERY = Tool(
    "db_query",
    "Look up an order.",
    {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
)
REFUND = Tool(
    "issue_refund",
    "Pay an order back.",
    {
        "type": "object",
        "properties": {"order_id": {"type": "string"}, "amount": {"type": "number"}},
        "required": ["order_id", "amount"],
    },
)
MAIL = Tool(
    "send_email",
    "Send a message to a customer.",
    {
        "type": "object",
        "properties": {"to": {"type": "string"}, "subject": {"type": "string"}, "body": {"type": "string"}},
        "required": ["to", "body"],
    },
)
PLANNER = TraceAgent(
    "planner", "Planner", "planner", "Breaks the user's request into steps and delegates them.", ("planning",), ()
)
EXECUTOR = TraceAgent(
    "executor",
    "Executor",
    "executor",
    "Looks up orders, issues refunds and sends messages.",
    ("orders", "refunds", "mail"),
    (QUERY, REFUND, MAIL),
)


def refund() -> Trace:
    """The session, with turn 3 going wrong: the mail has an invented parameter and goes to the wrong address."""
    return Trace(
        "refund",
        (process(), validity(), mail(), correction()),
        (PLANNER, EXECUTOR),
        initial_task="Process refund for order #12345",
        total_cost=0.042,
        total_latency_ms=4_980.0,
    )


def process() -> Turn:
    plan = Interaction(
        "planner",
        "@executor look up order #12345 with db_query, then issue_refund for order #12345 with the full amount.",
        (Step(thought="The user wants a refund for order #12345: look up the order, then issue the refund."),),
        520.0,
    )
    found = ToolCall("db_query", {"order_id": "12345"}, {"total": 89.5, "email": "ana@example.com"}, latency_ms=85.0)
    paid = ToolCall("issue_refund", {"order_id": "12345", "amount": 89.5}, {"status": "refunded"}, latency_ms=140.0)
    done = Interaction(
        "executor",
        "Order #12345 is refunded: $89.50 went back to the customer ana@example.com.",
        (Step(tool_call=found), Step(tool_call=paid)),
        1_240.0,
    )
    return Turn(0, "Process refund for order #12345", None, (plan, done))


def validity() -> Turn:
    plan = Interaction(
        "planner",
        "@executor check with db_query whether the refund of order #12345 is valid.",
        (Step(thought="The user asks whether the refund is valid, so the order must be checked again."),),
        480.0,
    )
    found = ToolCall("db_query", {"order_id": "12345"}, {"refund": "valid", "days_left": 12}, latency_ms=90.0)
    done = Interaction(
        "executor",
        "Yes, the refund of order #12345 is valid: 12 days of the return period are left.",
        (Step(tool_call=found),),
        890.0,
    )
    return Turn(1, "Is it valid?", None, (plan, done))


def mail() -> Turn:
    plan = Interaction(
        "planner",
        "@executor send_email to the customer that order #12345 is refunded.",
        (Step(thought="The user wants an email sent to the customer about the refund of order #12345."),),
        450.0,
    )
    sent = ToolCall(
        "send_email",
        {"to": "anna@example.org", "body": "Order #12345 is refunded.", "priority": "high"},
        {"status": "queued"},
        latency_ms=210.0,
    )
    done = Interaction("executor", "The email was sent to anna@example.org.", (Step(tool_call=sent),), 1_400.0)
    return Turn(2, "Send email", None, (plan, done))


def correction() -> Turn:
    return Turn(3, "No, that is wrong. The address is ana@example.com, not anna@example.org.")
