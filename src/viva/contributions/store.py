"""Contributions in the database."""  # stand-in

from viva.contributions.model import Contribution
from viva.kit.db import Connection
from viva.kit.rows import find

CONTRIBUTION_COLUMNS = ", ".join(Contribution.__struct_fields__)


def find_by_id(db: Connection, contribution_id: str) -> Contribution | None:
    sql = f"SELECT {CONTRIBUTION_COLUMNS} FROM evaluation_contributions WHERE id = ?"
    return find(Contribution, db.execute(sql, [contribution_id]))
