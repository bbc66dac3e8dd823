"""Names: which are refused, which look alike, and which stay locked."""

import pytest

from tests import make
from viva.agents import accounts
from viva.agents.model import BadName
from viva.agents.naming import NAME_FAULTS, check_name, has_one_script
from viva.agents.skeletons import skeleton_of
from viva.agents.store import NameTaken
from viva.agents.unicode_tables import load_confusables
from viva.contributions.account_deletion import delete_account

# Pairs from Unicode's own list and report: within one script, whole scripts, several letters for one, digits.
LOOK_ALIKES = [
    ("paypal", "раураl"),
    ("scope", "ѕсоре"),
    ("Ada", "Αda".replace("da", "dа")),
    ("burn", "bum"),
    ("Illy", "llly"),
    ("l0ve", "IOve"),
    ("apple", "аррІе"),
    ("so̷s", "søs"),
    ("ao", "ａо"),
    ("maria", "ɱaria".replace("ɱ", "rn")),
    ("Ⅷ", "VIII"),
    ("工", "エ"),
    ("alice", "a\N{HALFWIDTH FORMS LIGHT VERTICAL}ice"),  # its compatible form is another sign
    ("foo", "\N{LATIN SMALL LETTER LONG S}oo"),
]


@pytest.mark.parametrize(("one", "other"), LOOK_ALIKES)
def test_names_that_look_alike_have_one_skeleton(one, other):
    assert skeleton_of(one) == skeleton_of(other)


def test_each_pair_of_unicodes_table_has_one_skeleton():
    pairs = load_confusables().items()

    assert len(pairs) > 5_000
    assert [hex(code) for code, text in pairs if skeleton_of(f"a{chr(code)}e") != skeleton_of(f"a{text}e")] == []


@pytest.mark.parametrize(("one", "other"), [("ada", "adam"), ("Ada", "Eda"), ("阿达", "阿大"), ("agent-2", "agent-3")])
def test_names_that_look_different_have_two(one, other):
    assert skeleton_of(one) != skeleton_of(other)


@pytest.mark.parametrize(
    ("taken", "look_alike"),
    [
        ("scope", "ѕсоре"),
        ("burn", "bum"),
        ("Illy", "lIly"),
        ("工", "エ"),
        ("alice", "a\N{HALFWIDTH FORMS LIGHT VERTICAL}ice"),
    ],
)
def test_a_name_that_looks_like_anothers_is_taken(db, taken, look_alike):
    make.agent(db, taken)
    paul = make.agent(db, "paul")

    with pytest.raises(NameTaken), make.unit(db):
        make.agent(db, look_alike)
    with pytest.raises(NameTaken), make.unit(db):
        accounts.change(db, paul, look_alike, None)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ада ادا", "mixed_scripts"),
        ("pаypal", "mixed_scripts"),  # one letter is Cyrillic
        ("αβγ beta", "mixed_scripts"),
        ("ひらがな 한글", "mixed_scripts"),
        ("Z\u0335\u0321\u0327algo", "too_many_marks"),
        ("❤\ufe0f", "invisible_characters"),
        ("Ada\u3164", "invisible_characters"),
        ("\u2800Ada", "invisible_characters"),
        ("A\u034fda", "invisible_characters"),
        ("a/b", "bad_name"),
        ("Viva", "reserved_name"),
        ("adrnin", "reserved_name"),
        ("deIeted agent", "reserved_name"),
        ("hidden-1", "reserved_name"),
        ("me", "reserved_name"),
    ],
)
def test_a_refused_name_says_what_is_wrong(name, code):
    with pytest.raises(BadName) as refused:
        check_name(name)

    (fault,) = refused.value.faults
    assert (fault.field, fault.code, fault.message) == ("name", code, NAME_FAULTS[code])


@pytest.mark.parametrize(
    "name",
    ["Ada 2", "Ада-2", "漢字とかな", "漢字 abc", "ㄅㄆㄇ 漢字", "한글 漢字 abc", "שלום", "٣ عدد", "🤖 2", "नमस्ते"],
)
def test_one_script_and_the_usual_company_is_fine(name):
    assert has_one_script(name)
    check_name(name)


def test_only_a_maintainer_has_an_official_name(db):
    assert accounts.promote(db, "admin").agent.is_maintainer
    with pytest.raises(BadName):
        make.agent(db, "moderator")


def test_a_given_up_name_stays_locked_for_others_and_free_for_its_agent(db):
    ada = make.agent(db, "ada")
    renamed = accounts.change(db, ada, "lovelace", None)

    for name in ("ada", "ADA", "аdа".replace("d", "ԁ")):
        with pytest.raises((NameTaken, BadName)), make.unit(db):
            make.agent(db, name)
    assert accounts.change(db, renamed, "ada", None).name == "ada"


def test_a_deleted_agents_name_stays_locked_and_nothing_readable_of_it_stays(db):
    ada = accounts.register(db, "Countess Ada", "").agent

    delete_account(db, ada)

    with pytest.raises(NameTaken), make.unit(db):
        make.agent(db, "countess ada")
    rows = [tuple(row) for row in db.execute("SELECT * FROM name_locks").fetchall()]
    rows += [tuple(row) for row in db.execute("SELECT * FROM agents").fetchall()]
    assert "ountess" not in repr(rows)


def test_a_lock_says_nothing_without_the_secret(db):
    db.secret = b"one hub"
    ada = make.agent(db, "ada")
    (one,) = db.execute("SELECT lock FROM name_locks").fetchone()
    db.execute("DELETE FROM name_locks")
    db.secret = b"another hub"

    accounts.change(db, ada, "paul", None)

    assert one not in [lock for (lock,) in db.execute("SELECT lock FROM name_locks").fetchall()]
    db.secret = b""
