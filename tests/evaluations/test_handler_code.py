"""The code of contributed handlers: beside the SIP, in the digest, with every version."""

from typing import Any

import pytest

from tests import make
from tests.hub import write_sip
from viva.evaluations import catalogue, store
from viva.evaluations.catalogue import GradingChanged
from viva.evaluations.handler_code import handler_code_faults
from viva.evaluations.sip import Executable, digest
from viva.evaluations.sip_yaml import InvalidSip

CODE = "def decide(submission, challenge, config):\n    return {'passed': submission == 'a'}\n"
OTHER = CODE.replace("'a'", "'b'")
FIELDS: dict[str, Any] = {"type": "simple_pass_fail", "config": {}, "id": "a-or-b", "sip": 100}


def contributed(**changes):
    return make.sip(**(FIELDS | {"executable": Executable("contributed.a_or_b", None)} | changes))


def write(folder, code=CODE, script_path=None, file="SIP-100.md"):
    executable = {"handler": "contributed.a_or_b"} | ({"script_path": script_path} if script_path else {})
    write_sip(folder, file, **FIELDS, executable=executable)
    if code is not None:
        target = folder / (script_path or "SIP-100.py")
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(code.encode() if isinstance(code, str) else code)


def refusals(db, folder):
    return [
        (refused.path.name, fault.code, fault.message)
        for refused in catalogue.sync(db, [folder])
        for fault in refused.error.faults
    ]


def test_code_beside_the_sip_is_stored_with_the_version(db, tmp_path):
    write(tmp_path)

    assert catalogue.sync(db, [tmp_path]) == []

    assert store.get(db, "a-or-b").handler_code == CODE
    assert store.find_handler_code(db, "a-or-b", "1.0.0") == CODE


def test_code_at_the_script_path_is_read_with_windows_line_ends(db, tmp_path):
    write(tmp_path, CODE.replace("\n", "\r\n"), script_path="code/a_or_b.py")

    assert catalogue.sync(db, [tmp_path]) == []

    assert store.get(db, "a-or-b").handler_code == CODE


@pytest.mark.parametrize(
    ("code", "fault", "message"),
    [
        (None, "NO_HANDLER_CODE", "The file SIP-100.py with the handler's code is missing."),
        (b"\xff", "NO_HANDLER_CODE", "SIP-100.py is not UTF-8 text."),
        ("import os\n" + CODE, "REFUSED_IMPORT", None),
        ("def decide(submission", "INVALID_SYNTAX", None),
        ("def judge(a, b, c):\n    return 1", "NO_DECIDE", None),
        ("def decide(a):\n    return 1", "WRONG_PARAMETERS", "decide must have 3 parameters."),
        (CODE + "def make_challenge(seed):\n    return 1", "WRONG_PARAMETERS", None),
        ("#" * 70_000, "CODE_TOO_LONG", None),
    ],
)
def test_a_sip_without_usable_code_is_refused(db, tmp_path, code, fault, message):
    write(tmp_path, code)

    ((name, found, told),) = refusals(db, tmp_path)

    assert (name, found) == ("SIP-100.md", fault)
    assert message in (None, told)
    assert store.find_version(db, "a-or-b") is None


def test_a_link_out_of_the_folder_is_not_followed(db, tmp_path):
    (tmp_path / "secret.py").write_text(CODE)
    folder = tmp_path / "sips"
    folder.mkdir()
    write(folder, None)
    (folder / "SIP-100.py").symlink_to(tmp_path / "secret.py")

    assert refusals(db, folder) == [
        ("SIP-100.md", "NO_HANDLER_CODE", "SIP-100.py leads out of the SIP's folder."),
    ]


def test_changed_code_needs_a_new_version(db):
    catalogue.put(db, contributed(), CODE)

    with pytest.raises(GradingChanged):
        catalogue.put(db, contributed(), OTHER)
    catalogue.put(db, contributed(version="1.1.0"), OTHER)

    assert catalogue.get(db, "a-or-b", None).handler_code == OTHER
    assert catalogue.get(db, "a-or-b", "1.0.0").handler_code == CODE
    assert catalogue.get(db, "a-or-b", "1.0.0").digest == digest(contributed(), CODE)


def test_a_known_version_keeps_its_code(db):
    catalogue.put(db, contributed(), CODE)

    catalogue.put(db, contributed(name="Renamed"))

    assert store.get(db, "a-or-b").handler_code == CODE
    assert store.get(db, "a-or-b").name == "Renamed"


def test_a_list_of_evaluations_holds_no_code(db):
    catalogue.put(db, contributed(), CODE)

    (listed,) = store.list_evaluations(db, {}, None, 10, None).items

    assert listed.handler_code is None


def test_the_digest_of_a_built_in_handler_is_as_before():
    assert digest(make.sip()) == digest(make.sip(), None)
    assert digest(make.sip()) != digest(make.sip(), "")


def test_a_contributed_handler_is_for_one_type_only(db, tmp_path):
    write_sip(tmp_path, executable={"handler": "contributed.a_or_b"})

    assert [code for _, code, _ in refusals(db, tmp_path)] == ["HANDLER_OF_ANOTHER_TYPE"]


@pytest.mark.parametrize(
    "name", ["contributed.", "contributed.a-b", "contributed.1a", "contributed.a.b", "Contributed.a"]
)
def test_the_name_of_a_contributed_handler_is_an_identifier(db, tmp_path, name):
    write_sip(tmp_path, **FIELDS, executable={"handler": name})

    assert [code for _, code, _ in refusals(db, tmp_path)] == ["INVALID_HANDLER"]


def test_code_with_faults_is_not_put(db):
    with pytest.raises(InvalidSip):
        catalogue.put(db, contributed(), "import os")

    assert store.find_version(db, "a-or-b") is None


def test_faults_of_code_are_in_the_field_of_the_code():
    assert {fault.field for fault in handler_code_faults("import os\nopen")} == {"executable.code"}
