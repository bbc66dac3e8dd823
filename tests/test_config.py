"""What the settings are when nobody sets them, what can be set, and what is refused."""

import os
import subprocess
import sys
from ipaddress import ip_network
from pathlib import Path
from threading import Event

import pytest

from tests.judging.endpoint import endpoint, ruled
from viva.config import (
    SECRETS,
    SETTINGS,
    SHIPPED_SIPS,
    BadSetting,
    Config,
    check_network_secret,
    configured_judge,
    configured_judges,
    unknown_settings,
)
from viva.contributions.destination import GitHub
from viva.judging.http_judge import HttpJudge
from viva.judging.model import Question
from viva.kit.http_limits import HttpLimits
from viva.kit.logs import LogSettings
from viva.kit.proxies import Proxies


def config(folder: Path, **settings: str) -> Config:
    return Config.from_environment({"VIVA_DATA_DIR": str(folder), **settings})


def judge(**settings: str) -> HttpJudge:
    return configured_judge({"VIVA_JUDGE_URL": "http://127.0.0.1:1/v1", "VIVA_JUDGE_MODEL": "small", **settings})


def test_without_settings_a_hub_is_on_sqlite_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))

    found = Config.from_environment({})

    folder = tmp_path / ".local" / "share" / "viva"
    assert found.data_dir == folder
    assert found.database_url == f"sqlite:///{folder}/viva.db"
    assert (found.host, found.port, found.base_url) == ("127.0.0.1", 8000, "http://127.0.0.1:8000")
    assert (found.message_bytes, found.body_bytes) == (65_536, 8_388_608)
    assert found.sip_folders == [SHIPPED_SIPS, folder / "sips"]
    assert found.own_sips == folder / "sips"
    assert (found.has_worker, found.lease_seconds) == (True, 30)


def test_every_setting_can_be_given(tmp_path: Path):
    (tmp_path / "own").mkdir()
    found = config(
        tmp_path,
        VIVA_DATABASE_URL="postgresql://viva@db/viva",
        VIVA_HOST="10.0.0.5",
        VIVA_PORT="80",
        VIVA_BASE_URL="https://viva.example/",
        VIVA_SECRET="a long random text",
        VIVA_SIPS_DIR=str(tmp_path / "own"),
        VIVA_MESSAGE_BYTES="100",
        VIVA_BODY_BYTES="2000",
        VIVA_RATE_LIMIT="off",
        VIVA_NO_WORKER="1",
        VIVA_LEASE_SECONDS="5",
        VIVA_HEADER_BYTES="2048",
        VIVA_REQUEST_SECONDS="2.5",
        VIVA_CONNECTIONS="3",
        VIVA_PROXIES="10.0.0.0/8, ::1",
        VIVA_LOG="json",
        VIVA_LOG_LEVEL="WARNING",
    )

    assert found == Config(
        database_url="postgresql://viva@db/viva",
        data_dir=tmp_path,
        host="10.0.0.5",
        is_demo=False,
        port=80,
        base_url="https://viva.example",
        secret=b"a long random text",
        sips_dir=tmp_path / "own",
        message_bytes=100,
        body_bytes=2000,
        rate_limit=None,
        has_worker=False,
        lease_seconds=5,
        http=HttpLimits(2048, 2.5, 3, Proxies((ip_network("10.0.0.0/8"), ip_network("::1")))),
        log=LogSettings("json", "warning", SECRETS),
    )
    assert found.sip_folders == [tmp_path / "own"]
    assert found.own_sips == tmp_path / "own"
    assert list(tmp_path.iterdir()) == [tmp_path / "own"]


def test_the_address_of_the_hub_is_where_it_listens(tmp_path: Path):
    assert config(tmp_path, VIVA_HOST="::1", VIVA_PORT="8080").base_url == "http://[::1]:8080"


def test_a_setting_that_is_empty_counts_as_not_set(tmp_path: Path):
    found = config(tmp_path, VIVA_PORT="", VIVA_DATABASE_URL="", VIVA_HOST="", VIVA_SIPS_DIR="", VIVA_SECRET="")

    assert found == config(tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("VIVA_PORT", "many", "VIVA_PORT has to be a whole number, not 'many'."),
        ("VIVA_PORT", "70000", "VIVA_PORT has to be a number from 0 to 65535, not 70000."),
        ("VIVA_MESSAGE_BYTES", "-1", "VIVA_MESSAGE_BYTES has to be a number of at least 1, not -1."),
        ("VIVA_BODY_BYTES", "0", "VIVA_BODY_BYTES has to be a number of at least 1, not 0."),
        ("VIVA_HEADER_BYTES", "9", "VIVA_HEADER_BYTES has to be a number of at least 1024, not 9."),
        ("VIVA_LOG", "xml", "VIVA_LOG has to be one of text, json, not 'xml'."),
        ("VIVA_LOG_LEVEL", "loud", "VIVA_LOG_LEVEL has to be one of debug, info, warning, error, not 'loud'."),
        ("VIVA_PROXIES", "all", "VIVA_PROXIES lists addresses or networks such as 10.0.0.0/8, not 'all'."),
    ],
)
def test_a_bad_value_is_refused_by_the_name_of_its_setting(tmp_path: Path, name: str, value: str, sentence: str):
    with pytest.raises(BadSetting) as refusal:
        config(tmp_path, **{name: value})

    assert str(refusal.value) == sentence


@pytest.mark.parametrize(("value", "hosts"), [("", ["127.0.0.1"]), ("none", []), ("::1 10.1.2.3", ["::1", "10.1.2.3"])])
def test_proxies_are_listed_or_there_are_none(tmp_path: Path, value: str, hosts: list[str]):
    proxies = config(tmp_path, VIVA_PROXIES=value).http.proxies

    assert [host for host in ("127.0.0.1", "::1", "10.1.2.3", "10.1.2.4") if proxies.include(host)] == hosts


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("mysql://ada:hush@db/viva", "mysql"),
        ("viva.db", "viva.db"),
        ("sqlite://", "sqlite"),
        ("sqlite:///:memory:", "sqlite"),
    ],
)
def test_a_database_that_is_neither_a_file_nor_postgresql_is_refused_without_its_password(
    tmp_path: Path, url: str, kind: str
):
    with pytest.raises(BadSetting) as refusal:
        config(tmp_path, VIVA_DATABASE_URL=url)

    assert str(refusal.value) == f"The address of the database has to be sqlite:///FILE or postgresql://…, not {kind}:…"


def test_an_address_of_a_database_that_cannot_be_read_is_refused(tmp_path: Path):
    with pytest.raises(BadSetting, match="The address of the database cannot be read"):
        config(tmp_path, VIVA_DATABASE_URL="postgresql://db:many/viva")


@pytest.mark.parametrize("name", ["nowhere", "file"])
def test_a_folder_of_sips_that_is_none_is_refused(tmp_path: Path, name: str):
    (tmp_path / "file").touch()

    with pytest.raises(BadSetting) as refusal:
        config(tmp_path / "data", VIVA_SIPS_DIR=str(tmp_path / name))

    assert str(refusal.value) == f"VIVA_SIPS_DIR has to be a folder, but {tmp_path}/{name} is not one."
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    "url",
    [
        "viva.example",
        "ftp://viva.example",
        "https://",
        "http://[::1",
        "http://h:many",
        "https://viva.example?a=1",
        "https://viva.example#top",
        "https://ada:hush@viva.example",
        "https://viva example",
        "https://viva.example\n",
    ],
)
def test_a_base_address_that_no_page_could_have_is_refused(tmp_path: Path, url: str):
    with pytest.raises(BadSetting) as refusal:
        config(tmp_path / "data", VIVA_BASE_URL=url)

    assert str(refusal.value) == f"VIVA_BASE_URL has to be an address such as https://viva.example, not {url!r}."
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000", "https://viva.example/hub/", "HTTPS://[::1]:80"])
def test_a_base_address_loses_its_last_slash(tmp_path: Path, url: str):
    assert config(tmp_path, VIVA_BASE_URL=url).base_url == url.rstrip("/")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("VIVA_SIP_DIR", " Did you mean VIVA_SIPS_DIR?"),
        ("VIVA_DATABASE", " Did you mean VIVA_DATABASE_URL?"),
        ("VIVA_SCREENSHOTS", ""),  # all begin alike, which makes none of them meant
    ],
)
def test_a_name_that_is_no_setting_is_told(name: str, told: str):
    given = {name: "1", "HOME": "1", **dict.fromkeys(SETTINGS, "1")}

    assert [*unknown_settings(given)] == [f"{name} is not a setting and is ignored.{told}"]


def test_a_data_folder_that_cannot_be_made_is_refused(tmp_path: Path):
    (tmp_path / "file").touch()

    with pytest.raises(BadSetting) as refusal:
        config(tmp_path / "file" / "data")

    assert (
        str(refusal.value) == f"The data folder {tmp_path}/file/data (VIVA_DATA_DIR) cannot be used: Not a directory."
    )


def test_the_secret_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path):
    first, second = config(tmp_path), config(tmp_path)

    assert first.secret == second.secret
    assert len(first.secret) == 64
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_processes_that_start_at_once_have_the_same_secret(tmp_path: Path):
    program = "import sys; sys.stdin.read(1); from viva.config import Config; print(Config.from_environment().secret.decode())"
    command = [sys.executable, "-c", program]
    environment = os.environ | {"VIVA_DATA_DIR": str(tmp_path)}
    environment.pop("VIVA_SECRET", None)
    started = [
        subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    for process in started:  # each waits for a letter, so that all begin together
        assert process.stdin
        process.stdin.write("!")
        process.stdin.flush()

    said = {process.communicate(timeout=60)[0] for process in started}

    assert said == {(tmp_path / "secret").read_text() + "\n"}
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "localhost", "::1"])
def test_on_this_machine_alone_no_secret_has_to_be_chosen(tmp_path: Path, host: str):
    check_network_secret(config(tmp_path, VIVA_HOST=host), is_secret_set=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.5", "viva.example"])
def test_where_others_can_reach_the_hub_a_secret_has_to_be_chosen(tmp_path: Path, host: str):
    with pytest.raises(BadSetting) as refusal:
        check_network_secret(config(tmp_path, VIVA_HOST=host), is_secret_set=False)

    assert (
        str(refusal.value)
        == f"Others can reach {host}. To listen there, set VIVA_SECRET to a random text of at least 32 characters."
    )


@pytest.mark.parametrize(("secret", "is_taken"), [("x", False), ("x" * 31, False), ("x" * 32, True)])
def test_where_others_can_reach_the_hub_the_secret_is_too_long_to_be_tried(tmp_path: Path, secret: str, is_taken: bool):
    chosen = config(tmp_path, VIVA_HOST="0.0.0.0", VIVA_SECRET=secret)

    if is_taken:
        check_network_secret(chosen, is_secret_set=True)
    else:
        with pytest.raises(BadSetting):
            check_network_secret(chosen, is_secret_set=True)


@pytest.mark.parametrize(
    "url",
    ["http://h:99999", "http://h:many", "http://[::1", "http://", "http://..", "http://1.2.3.999", "http://a\x00b"],
)
def test_an_address_of_a_judge_that_cannot_be_asked_is_refused(url: str):
    with pytest.raises(BadSetting) as refusal:
        judge(VIVA_JUDGE_URL=url)

    assert str(refusal.value) == "VIVA_JUDGE_URL has to be an address such as http://127.0.0.1:11434/v1."


@pytest.mark.parametrize("url", ["ftp://h/v1", "h:80/v1", "/v1"])
def test_a_judge_is_asked_over_http(url: str):
    with pytest.raises(BadSetting, match="VIVA_JUDGE_URL has to begin with http:// or https://"):
        judge(VIVA_JUDGE_URL=url)


@pytest.mark.parametrize("key", ["schlüssel", "two\nlines", "nul\x00", "\udcff"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_told(key: str):
    with pytest.raises(BadSetting) as refusal:
        judge(VIVA_JUDGE_KEY=key)

    assert str(refusal.value) == "VIVA_JUDGE_KEY has to consist of printable ASCII characters."


def test_what_surrounds_a_setting_of_the_judge_is_no_part_of_it():
    with endpoint(lambda asked: ruled()) as server:
        settings = {"URL": server.url, "MODEL": "small", "KEY": "secret"}
        padded = {f"VIVA_JUDGE_{name}": f" {value}\n" for name, value in settings.items()}
        judge(**padded).ask([Question("Is it?", {"text": "It is."})])

    assert server.headers[0]["Authorization"] == "Bearer secret"
    assert server.requests[0]["model"] == "small"


def judges(**settings: str) -> list[HttpJudge]:
    return configured_judges({f"VIVA_JUDGE_{name}": value for name, value in settings.items()})


def test_without_settings_there_are_no_judges_and_one_cannot_be_asked():
    assert judges() == []
    assert judges(KEY="secret", CALLS="5", URL=" ", MODEL=",") == []
    with pytest.raises(BadSetting, match="To ask a judge, set VIVA_JUDGE_URL and VIVA_JUDGE_MODEL"):
        configured_judge({})


def test_several_models_at_one_address_with_one_key_are_several_judges():
    with endpoint(lambda asked: ruled()) as server:
        found = judges(MODEL="large, small\ttiny", URL=server.url, KEY="secret")
        for one in found:
            one.ask([Question("Is it?", {"text": "It is."})])

    assert [one.model for one in found] == ["large", "small", "tiny"]
    assert [asked["model"] for asked in server.requests] == ["large", "small", "tiny"]
    assert [sent["Authorization"] for sent in server.headers] == ["Bearer secret"] * 3


def test_each_model_may_have_an_address_and_a_key_of_its_own():
    with endpoint(lambda asked: ruled()) as first, endpoint(lambda asked: ruled()) as second:
        found = judges(MODEL="large small", URL=f"{first.url},\n{second.url}", KEY="one\ntwo")
        for one in found:
            one.ask([Question("Is it?", {"text": "It is."})])

    assert [asked["model"] for asked in first.requests] == ["large"]
    assert [asked["model"] for asked in second.requests] == ["small"]
    assert first.headers[0]["Authorization"] == "Bearer one"
    assert second.headers[0]["Authorization"] == "Bearer two"


def test_a_judge_that_wants_no_key_is_sent_none():
    with endpoint(lambda asked: ruled()) as server:
        judges(MODEL="large small", URL=server.url)[1].ask([Question("Is it?", {"text": "It is."})])

    assert server.headers[0]["Authorization"] is None


def test_the_judge_of_an_analysis_is_the_first():
    found = judge(VIVA_JUDGE_MODEL="large small", VIVA_JUDGE_URL="http://127.0.0.1:1/v1 http://127.0.0.1:2/v1")

    assert (found.model, found.url) == ("large", "http://127.0.0.1:1/v1/chat/completions")


@pytest.mark.parametrize("settings", [{"MODEL": "small"}, {"URL": "http://127.0.0.1:1/v1"}])
def test_half_a_judge_is_refused(settings: dict[str, str]):
    with pytest.raises(BadSetting, match="To ask a judge, set VIVA_JUDGE_URL and VIVA_JUDGE_MODEL"):
        judges(**settings)


@pytest.mark.parametrize(
    ("models", "name", "value", "sentence"),
    [
        ("a b c", "URL", "http://h/1 http://h/2", "VIVA_JUDGE_URL has 2 parts, but VIVA_JUDGE_MODEL has 3"),
        ("a", "URL", "http://h/1 http://h/2", "VIVA_JUDGE_URL has 2 parts, but VIVA_JUDGE_MODEL has 1"),
        ("a b c", "KEY", "one,two", "VIVA_JUDGE_KEY has 2 parts, but VIVA_JUDGE_MODEL has 3"),
        ("a", "KEY", "one,two", "VIVA_JUDGE_KEY has 2 parts, but VIVA_JUDGE_MODEL has 1"),
    ],
)
def test_a_wrong_number_of_addresses_or_keys_is_refused(models: str, name: str, value: str, sentence: str):
    with pytest.raises(BadSetting) as refusal:
        judges(**{"MODEL": models, "URL": "http://h/v1", name: value})

    assert str(refusal.value) == f"{sentence}. Give one, or one for each model."


def test_every_address_and_every_key_is_checked():
    with pytest.raises(BadSetting, match="VIVA_JUDGE_URL has to begin with"):
        judges(MODEL="a b", URL="http://h/v1 ftp://h/v1")
    with pytest.raises(BadSetting, match="VIVA_JUDGE_KEY has to consist of printable ASCII characters"):
        judges(MODEL="a b", URL="http://h/v1", KEY="one schlüssel")


@pytest.mark.parametrize("patience", ["0", "-1", "nan", "inf", "soon", "3601"])
def test_a_patience_that_is_none_is_refused(patience: str):
    with pytest.raises(BadSetting, match="VIVA_JUDGE_SECONDS has to be"):
        judge(VIVA_JUDGE_SECONDS=patience)


def test_patience_may_be_a_part_of_a_second():
    over = Event()

    def late(asked):
        over.wait(timeout=10)
        return ruled()

    with endpoint(late) as server:
        impatient = judge(VIVA_JUDGE_URL=server.url, VIVA_JUDGE_SECONDS="0.05", VIVA_JUDGE_CALLS="1")
        hearing = impatient.ask([Question("Is it?", {"text": "It is."})])
        over.set()

    assert (hearing.rulings, hearing.lost) == ([None], [True])


def test_proof_hosts_are_none_unless_they_are_listed():
    assert Config.from_environment({"VIVA_SECRET": "s"}).proof_hosts == ()
    listed = Config.from_environment({"VIVA_SECRET": "s", "VIVA_PROOF_HOSTS": "Example.org, 127.0.0.1:8080,[::1]:80 *"})

    assert listed.proof_hosts == ("example.org", "127.0.0.1:8080", "[::1]:80", "*")


@pytest.mark.parametrize(
    "host", ["http://example.org", "example.org/", "a@example.org", "*.example.org", "bücher.example", "h:"]
)
def test_a_proof_host_that_no_address_could_name_is_refused(host: str):
    with pytest.raises(BadSetting, match="VIVA_PROOF_HOSTS lists hosts such as"):
        Config.from_environment({"VIVA_SECRET": "s", "VIVA_PROOF_HOSTS": f"example.org {host}"})


def test_a_repository_and_github_are_read(tmp_path):
    (tmp_path / "sips" / ".git").mkdir(parents=True)
    found = config(
        tmp_path,
        VIVA_SIPS_REPO=str(tmp_path / "sips"),
        VIVA_GITHUB_REPO="viva/evaluations",
        VIVA_GITHUB_TOKEN="ghp_secret",
    ).destination

    assert found.repository == tmp_path / "sips"
    assert found.folder == tmp_path / "sips"
    assert found.github == GitHub("https://api.github.com", "viva/evaluations", "ghp_secret")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"VIVA_SIPS_REPO": "/nowhere"}, "VIVA_SIPS_REPO has to be a git repository"),
        ({"VIVA_GITHUB_REPO": "viva/evaluations"}, "set both VIVA_GITHUB_REPO and VIVA_GITHUB_TOKEN"),
        ({"VIVA_GITHUB_TOKEN": "ghp_secret"}, "set both VIVA_GITHUB_REPO and VIVA_GITHUB_TOKEN"),
        ({"VIVA_GITHUB_REPO": "../evaluations", "VIVA_GITHUB_TOKEN": "t"}, "VIVA_GITHUB_REPO has to be owner/name"),
        ({"VIVA_GITHUB_REPO": "a/b", "VIVA_GITHUB_TOKEN": "a\nb"}, "VIVA_GITHUB_TOKEN has to consist of printable"),
        (
            {"VIVA_GITHUB_REPO": "a/b", "VIVA_GITHUB_TOKEN": "t", "VIVA_GITHUB_URL": "http://github.example"},
            "VIVA_GITHUB_URL has to be an https:// address",
        ),
        (
            {"VIVA_GITHUB_REPO": "a/b", "VIVA_GITHUB_TOKEN": "t", "VIVA_GITHUB_URL": "ftp://127.0.0.1"},
            "VIVA_GITHUB_URL has to be an https:// address",
        ),
    ],
)
def test_a_destination_that_cannot_be_used_is_refused(tmp_path, settings, told):
    with pytest.raises(BadSetting, match=told) as refused:
        config(tmp_path, **settings)

    assert "ghp_secret" not in str(refused.value)


def test_without_a_mail_server_e_mails_stay_in_the_data_folder(tmp_path: Path):
    found = config(tmp_path, VIVA_BASE_URL="https://viva.example").notices

    assert (found.smtp, found.outbox) == (None, tmp_path / "outbox")
    assert (found.mail_from, found.webhook_hosts) == ("Viva <viva@viva.example>", ())
    assert config(tmp_path).notices.mail_from == "Viva <viva@hub.invalid>"  # 127.0.0.1 is no domain


def test_the_settings_of_notices_can_be_given(tmp_path: Path):
    found = config(
        tmp_path,
        VIVA_SMTP_URL="smtps://viva:p%40ss@mail.example",
        VIVA_MAIL_FROM="Exams <exams@viva.example>",
        VIVA_WEBHOOK_HOSTS="Build.example:8080",
    ).notices

    assert found.smtp
    assert (found.smtp.host, found.smtp.port, found.smtp.password) == ("mail.example", 465, "p@ss")
    assert (found.mail_from, found.webhook_hosts) == ("Exams <exams@viva.example>", ("build.example:8080",))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("VIVA_SMTP_URL", "https://mail.example"),
        ("VIVA_SMTP_URL", "smtp://viva:s3cret@/"),
        ("VIVA_SMTP_URL", "smtp://viva:s3cret@mail.example:many"),
        ("VIVA_MAIL_FROM", "Viva"),
        ("VIVA_MAIL_FROM", "viva@example.org\nBcc: all@example.org"),
        ("VIVA_WEBHOOK_HOSTS", "https://build.example"),
    ],
)
def test_wrong_settings_of_notices_are_named_without_passwords(tmp_path: Path, name: str, value: str):
    with pytest.raises(BadSetting, match=name) as caught:
        config(tmp_path, **{name: value})

    assert "s3cret" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kept", ["trace", "event"])
def test_traces_and_events_are_kept_for_ever_or_for_so_many_days(tmp_path: Path, kept: str):
    name = f"VIVA_{kept.upper()}_DAYS"
    assert getattr(config(tmp_path), f"{kept}_days") is None
    assert getattr(config(tmp_path, **{name: "30"}), f"{kept}_days") == 30
    for wrong in ("0", "-1", "a week", "36501"):
        with pytest.raises(BadSetting, match=name):
            config(tmp_path, **{name: wrong})
