"""The code of a contributed handler: its rules, and the file beside the SIP that holds it."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from viva.evaluations.model import CONTRIBUTED_PREFIX
from viva.evaluations.sip import Sip
from viva.evaluations.sip_yaml import InvalidSip
from viva.kit.errors import Fault

CODE_FIELD = "executable.code"
# The functions of a handler, with the number of their parameters. Only `decide` is required.
HANDLER_FUNCTIONS = {"decide": 3, "make_challenge": 2}
NO_CODE_FILE = "NO_HANDLER_CODE"


def handler_code_faults(code: str) -> Iterator[Fault]:
    """What is wrong with the code of a handler. The field of each is `executable.code`."""
    from viva.sandbox import scanning  # most commands never need the sandbox
    from viva.sandbox.model import SandboxMissing

    try:
        faults = scanning.scan(code)
    except SandboxMissing as error:
        yield Fault(CODE_FIELD, "NO_SANDBOX", str(error))
        return
    if faults:
        yield from (fault._replace(field=CODE_FIELD) for fault in faults)
        return
    functions = scanning.list_functions(code)
    if "decide" not in functions:
        message = "The code defines no function decide(submission, challenge, config)."
        yield Fault(CODE_FIELD, "NO_DECIDE", message)
    for name, number in HANDLER_FUNCTIONS.items():
        if functions.get(name, number) != number:
            yield Fault(CODE_FIELD, "WRONG_PARAMETERS", f"{name} must have {number} parameters.")


def check_handler_code(code: str) -> None:
    if faults := list(handler_code_faults(code)):
        raise InvalidSip(faults)


def read_handler_code(sip_path: Path, sip: Sip, folders: Iterable[Path] = ()) -> str | None:
    """The code in the file that script_path names, below the SIP's folder; None for a built-in handler.

    Without script_path, the file has the SIP's name, as in `SIP-100.py`. It may also be in one of the other folders."""
    if not sip.executable.handler.startswith(CONTRIBUTED_PREFIX):
        return None
    name = sip.executable.script_path or f"{sip_path.stem}.py"
    places = [folder.resolve() for folder in (sip_path.parent, *folders)]
    folder = next((place for place in places if (place / name).is_file()), places[0])
    if not (folder / name).resolve().is_relative_to(folder):  # a link may lead outside
        raise no_code(f"{Path(name).name} leads out of the SIP's folder.")
    return read_code_file(folder / name)


def read_code_file(path: Path) -> str:
    from viva.sandbox.scanning import MAX_CODE_BYTES

    if not path.is_file():
        raise no_code(f"The file {path.name} with the handler's code is missing.")
    try:
        with path.open("rb") as file:
            return file.read(MAX_CODE_BYTES + 1).decode()  # one more than allowed, so that the scan refuses it
    except UnicodeDecodeError as error:
        raise no_code(f"{path.name} is not UTF-8 text.") from error
    except OSError as error:
        raise no_code(f"{path.name} cannot be read: {error.strerror}.") from error


def no_code(message: str) -> InvalidSip:
    return InvalidSip([Fault("executable.script_path", NO_CODE_FILE, message)])
