"""Keys of agents in a file of their owner: by hub and name, readable by nobody else, written in one piece."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

import msgspec
from msgspec import Struct

from viva.kit.files import open_whole

KEY_FILE_MODE, KEY_FOLDER_MODE = 0o600, 0o700
OTHERS = 0o077  # the bits of everybody but the owner


class KeysExposed(Exception):
    """The file with keys can be read by other users of this machine."""


class NoStoredKey(Exception):
    """There is no stored key of this name for this hub."""


class StoredKey(Struct, frozen=True, omit_defaults=True):
    """The key of an agent. Until the hub has answered, only the Idempotency-Key of its registration is known."""

    key: str = ""
    registering: str = ""


KeysByHub = dict[str, dict[str, StoredKey]]


class KeyFile(NamedTuple):
    """A file of keys."""

    path: Path

    def find(self, hub: str, name: str) -> StoredKey | None:
        return self._read().get(hub, {}).get(name)

    def keep(self, hub: str, name: str, key: str) -> None:
        with self._lock():
            self._write(hub, name, StoredKey(key))

    def begin(self, hub: str, name: str) -> StoredKey:
        """What is stored for the name. A new name gets the Idempotency-Key of its registration first.

        So a program that stops before it has stored its key gets the same key when it registers again."""
        with self._lock():
            stored = self.find(hub, name)
            if stored is None:
                stored = StoredKey(registering=token_hex(16))
                self._write(hub, name, stored)
            return stored

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        """Two programs that store their keys at once do not lose one of them."""
        self.path.parent.mkdir(mode=KEY_FOLDER_MODE, parents=True, exist_ok=True)
        descriptor = os.open(self.path.with_suffix(".lock"), os.O_CREAT | os.O_RDWR, KEY_FILE_MODE)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _read(self) -> KeysByHub:
        try:
            with self.path.open("rb") as file:
                if os.fstat(file.fileno()).st_mode & OTHERS:
                    raise KeysExposed(f"{self.path} can be read by others. Its mode has to be 600.")
                return msgspec.json.decode(file.read(), type=KeysByHub)
        except FileNotFoundError:
            return {}

    def _write(self, hub: str, name: str, stored: StoredKey) -> None:
        keys = self._read()
        keys.setdefault(hub, {})[name] = stored
        with open_whole(self.path, KEY_FILE_MODE) as file:
            file.write(msgspec.json.format(msgspec.json.encode(keys)) + b"\n")


def default_key_file() -> KeyFile:
    """The file of this user, in the folder for settings."""
    folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return KeyFile(Path(folder) / "viva" / "keys.json")
