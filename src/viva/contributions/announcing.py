"""Tells those concerned what has happened to a contribution."""

from typing import Any, Literal

from viva.contributions.model import Contribution
from viva.kit.db import Connection

ContributionEvent = Literal["submitted", "commented", "changes_requested", "approved", "rejected", "merged"]


def announce(db: Connection, event: ContributionEvent, contribution: Contribution, **data: Any) -> None:
    """Called in the unit in which it happens. So far nobody is told."""
