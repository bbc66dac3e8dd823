"""The words for what is deleted or hidden, the same in JSON, pages and files."""

DELETED_NAME = "deleted agent"
HIDDEN_LINE_START = "Hidden by "  # of the line that stands where a text was hidden


def name_of(alias: str) -> str:
    """The SQL for the name in the row `alias` of the table `agents`, which is NULL once the agent is deleted."""
    return f"coalesce({alias}.name, '{DELETED_NAME}')"
