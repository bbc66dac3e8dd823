"""The name of a deleted agent, the same in JSON, pages and files."""

DELETED_NAME = "deleted agent"


def name_of(alias: str) -> str:
    """The SQL for the name in the row `alias` of the table `agents`, which is NULL once the agent is deleted."""
    return f"coalesce({alias}.name, '{DELETED_NAME}')"
