"""The commands that keep order: a new key, suspending, restoring, dismissing."""

from pathlib import Path

import pytest

from tests.conftest import DATABASES, fresh_url
from tests.hub import run_viva


@pytest.fixture(params=DATABASES)
def viva(request: pytest.FixtureRequest, tmp_path: Path):
    """A function that runs a command on an empty hub."""
    settings = {"VIVA_DATABASE_URL": fresh_url(request.param, request, tmp_path), "VIVA_DATA_DIR": str(tmp_path)}
    return lambda *arguments: run_viva(arguments, settings)


def test_a_key_is_replaced(viva):
    old = viva("maintainer", "mary").stdout.splitlines()[-1]

    said = viva("key", "Mary")

    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines()[-1].startswith("viva_")
    assert said.stdout.splitlines()[-1] != old


def test_suspending_and_restoring(viva):
    viva("maintainer", "mary")
    viva("maintainer", "marta")

    assert viva("suspend", "mary").returncode == 2  # without a reason
    assert viva("suspend", "mary", "--reason", "Key was stolen.").stdout == "mary is suspended.\n"
    assert "already" in viva("suspend", "mary", "--reason", "Again.").stderr
    last = viva("suspend", "marta", "--reason", "The last one.")
    assert (last.returncode, "last maintainer" in last.stderr) == (2, True)
    assert viva("restore-agent", "mary").stdout == "mary is restored.\n"
    assert viva("restore-agent", "nobody").returncode == 2


def test_the_last_maintainer_is_not_dismissed(viva):
    viva("maintainer", "mary")
    viva("maintainer", "marta")

    assert viva("maintainer", "mary", "--remove").stdout == "mary is no maintainer any more.\n"
    last = viva("maintainer", "marta", "--remove")
    assert (last.returncode, "last maintainer" in last.stderr) == (2, True)
    assert viva("maintainer", "mary", "--remove").returncode == 2
