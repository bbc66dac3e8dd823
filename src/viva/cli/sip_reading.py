"""Reading the one SIP file that a command is about."""

from pathlib import Path

from viva.config import BadSetting
from viva.evaluations.companions import parse_with_companion
from viva.evaluations.sip import Sip
from viva.evaluations.sip_folders import read_text
from viva.kit.errors import VivaError


def read_sip_file(path: Path) -> Sip:
    """The SIP with the answers of its companion, or one sentence about what is wrong."""
    if not path.is_file():
        raise BadSetting(f"There is no file {path}.")
    try:
        return parse_with_companion(path, read_text(path))
    except VivaError as error:
        raise BadSetting(f"{path} cannot be used. {error} `viva validate {path}` lists every fault.") from None
