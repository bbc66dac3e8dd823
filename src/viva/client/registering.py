"""Registering an agent once, and using its stored key ever after."""

from msgspec.structs import replace

from viva.client.describing import OperationGroup, RunnerType, steps
from viva.client.key_files import KeyFile
from viva.client.operations.agents import AgentsOperations
from viva.client.retrying import HubError, fetch
from viva.client.steps import Pause, Steps, UseKey
from viva.client.structs import NewKey

NAME_TAKEN = "name_taken"
WAIT_FOR_FILE_SECONDS = 1.0  # another program may have registered the name and not yet stored the key


class RegisteringSteps(OperationGroup[RunnerType]):
    """The account of this client."""

    @steps
    def rotate_key(self) -> Steps[NewKey]:
        """Replace the key of this client with a new one, and go on with that."""
        new = yield from fetch(AgentsOperations.rotate_key.describe())
        yield UseKey(new.api_key)
        return new


def register_or_load(file: KeyFile, hub: str, name: str, description: str | None) -> Steps[None]:
    """Use the stored key of the name. Register the name first, if there is none."""
    stored = file.begin(hub, name)
    key = stored.key or (yield from register(file, hub, name, description, stored.registering))
    yield UseKey(key)


def register(file: KeyFile, hub: str, name: str, description: str | None, idempotency_key: str) -> Steps[str]:
    call = replace(AgentsOperations.register.describe(name, description=description), idempotency_key=idempotency_key)
    try:
        answer = yield from fetch(call)
    except HubError as error:
        if error.code != NAME_TAKEN:
            raise
        yield Pause(WAIT_FOR_FILE_SECONDS)
        stored = file.find(hub, name)
        if stored is None or not stored.key:
            raise
        return stored.key
    file.keep(hub, name, answer.api_key)
    return answer.api_key
