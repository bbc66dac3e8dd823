"""Route of the JSON Schemas of configs, for editors and programs.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call
from viva.client.describing import OperationGroup, RunnerType, operation
from viva.client.structs import ConfigSchemas


class SchemasOperations(OperationGroup[RunnerType]):
    """Route of the JSON Schemas of configs, for editors and programs."""

    @operation
    def list_schemas(self) -> Call[ConfigSchemas]:
        """List the JSON Schema of the config of each type of evaluation. `viva sip schema` writes the same."""
        return Call("GET", "/api/v1/schemas", ConfigSchemas)
