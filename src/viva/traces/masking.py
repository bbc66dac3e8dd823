"""Replaces secrets and personal values of a trace by placeholders of the same format.

A value gets the same placeholder wherever it stands in a trace, so that texts which agreed still agree.
"""

import hmac
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import cycle
from string import ascii_lowercase, digits
from typing import Any, Literal, NamedTuple

import msgspec

from viva.engine.model import Trace

MaskedKind = Literal["key", "email", "card"]
MAX_LISTED_PLACEHOLDERS = 200  # of one trace; the others are masked all the same
MAX_SEARCHED_WORDS = 1_000  # secrets, names or domains of one trace that are searched for in all its texts
MAX_SEARCH_STEPS = 50_000_000  # words times characters; the search holds up the whole process
MIN_SECRET_CHARACTERS = 4  # shorter ones stand in other words by chance
LONG_SECRET_CHARACTERS = 12
MAX_KNOWN_FIELDS = 10_000  # names of fields; most traces have the same ones
MAX_FIELD_CHARACTERS = 200  # of the end of a field's name
MAX_PLACEHOLDER_TRIES = 50  # two short values may get the same placeholder by chance

EMAIL = re.compile(  # after "\n" in JSON inside a text, the "n" is no part of the name
    r"((?<=\\)[nrt]|(?<![\w.%+\\-]))([\w.%+-]{1,64})@((?:[\w-]{1,63}\.){1,8}(?:xn--[\w-]{2,59}|[^\W\d_]{2,24}))(?![\w-])"
)
CARD = re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])")
CARD_NUMBER = re.compile(  # by the first digits that the card schemes publish
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|6(?:011|5\d\d)\d{12}|62\d{14,17}"
)
KEY_BEGINNINGS = (
    "sk-ant-", "sk-proj-", "sk-lf-", "pk-lf-", "sk-", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_", "AKIA", "ASIA",
    "AIza", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-",
    "hf_", "npm_", "pypi-", "lsv2_pt_", "lsv2_sk_", "viva_", "eyJ",
)  # fmt: skip
BEGUN_KEY = re.compile(rf"\b({'|'.join(map(re.escape, KEY_BEGINNINGS))})([\w-]{{16,}}(?:\.[\w-]{{6,}}){{0,4}})")
KEY_NAMES = (
    r"(?<![a-z])(?:api[_-]?key|access[_-]?key|private[_-]?key|secret(?:[_-]?key)?|client[_-]?secret|password|passwd"
    r"|passphrase|bearer|(?:access|auth|refresh)[_-]?token)"
)
QUOTE = r"""\\{0,3}["']"""  # in JSON inside a text, or inside a text of such JSON, a quote is escaped
NAMED_KEY = re.compile(  # "password: …", "api_key=…", "Authorization: Bearer …"; a value has a sign that words lack
    rf"""(?i)({KEY_NAMES}(?:{QUOTE})?(?:\s{{0,3}}[:=]\s{{0,3}}(?:{QUOTE})?|\s(?:is\s)?["']?))"""
    r"""(?=[^\s"',;]{0,200}[\d_+/=-])([\w.~+/=!$%&*#-]{6,}(?<![.!]))"""
)
FIELD_KEY = re.compile(  # {"password": "…"} as a text
    rf"""(?i)({KEY_NAMES}{QUOTE}\s{{0,3}}:\s{{0,3}}{QUOTE})([^\s"'\\]{{4,500}})(?={QUOTE})"""
)
SCHEME_KEY = re.compile(  # "Authorization: Basic …"
    rf"""(?i)(authorization(?:{QUOTE})?\s{{0,3}}[:=]\s{{0,3}}(?:{QUOTE})?(?:basic|bearer|token)\s)([\w.~+/=-]{{6,}})"""
)
KEY_BLOCK = re.compile(  # lines with a hyphen before the key say how it is encrypted
    r"(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)([^-]++(?:-[^-]++){0,12})(?=-----END|\Z)"
)
ADDRESS_PASSWORD = re.compile(r"""(://[^\s/:@"']{1,64}:)([^\s/@"'\\]{4,128})(?=@)""")
KEY_PATTERNS = (KEY_BLOCK, ADDRESS_PASSWORD, BEGUN_KEY, NAMED_KEY, FIELD_KEY, SCHEME_KEY)
# One of these stands wherever a pattern or a field shows a secret: a word in upper or lower case, or the beginning of a key.
KEY_WORDS = (b"-----begin", b"://", b"key", b"secret", b"pass", b"bearer", b"token", b"authorization")
SHORT_BEGINNINGS = tuple(
    beginning.encode()
    for beginning in KEY_BEGINNINGS
    if not any(other in beginning for other in KEY_BEGINNINGS if other != beginning)
)
OTHER_CASES = (
    "\N{LATIN SMALL LETTER LONG S}",
    "\N{LATIN SMALL LETTER DOTLESS I}",
)  # patterns take them for "s" and "i"
LONG_NUMBER = re.compile(r"\d(?:[ -]?\d){12,}")  # as many digits as a card number has, or more
MIN_CARD_DIGITS = 13
MIN_BEGUN_KEY_BYTES = 16 + min(map(len, KEY_BEGINNINGS))
# For a first look at JSON: its digits as zeros, and its words with spaces between them. Letters beyond ASCII belong to words.
DIGITS_AS_ZEROS = bytes(ord("0") if byte in b"0123456789" else ord(".") for byte in range(256))
WORDS_APART = bytes(byte if byte >= 128 or chr(byte).isalnum() or byte in b"_-" else ord(" ") for byte in range(256))
CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
SECRET_FIELD = re.compile(
    r"(?i)(?:.*[_.-])?(?:api[_-]?key|password|passwd|passphrase|secret|(?:secret|private|access)[_-]key|authorization"
    r"|(?:access|auth|refresh|bearer)[_-]token)"
)
TYPE_NAMES = ("stringValue", "intValue", "arrayValue", "values")  # between an attribute and its value
SCHEMES = ("basic", "bearer", "token")  # before the secret of an authorization


class MaskedValue(msgspec.Struct, frozen=True):
    """A placeholder and how often it stands in the trace. What it replaced is kept nowhere."""

    kind: MaskedKind
    placeholder: str
    count: int


class MaskedTrace(NamedTuple):
    trace: Trace
    values: list[MaskedValue]


def mask_trace(trace: Trace, key: bytes) -> MaskedTrace:
    """The trace with placeholders. The key decides them, so nobody without it can test a guess."""
    signs = find_signs(trace)
    if not any(signs):
        return MaskedTrace(trace, [])
    masking = Masking(key)
    document = masking.mask_by(signs, msgspec.to_builtins(trace))
    return MaskedTrace(msgspec.convert(document, Trace), masking.list_values())


def may_need_masking(value: Any) -> bool:
    """Whether a JSON value has any sign of something private. Most runs have none, and looking is much faster than masking."""
    return any(find_signs(value))


class PrivateSigns(NamedTuple):
    """What may be in a JSON value: addresses, card numbers, secrets beside a word such as "key", keys that show themselves."""

    address: bool
    card: bool
    key_word: bool
    key_beginning: bool


def find_signs(value: Any) -> PrivateSigns:
    """The signs in the JSON of a value. JSON escapes none of their letters."""
    text = msgspec.json.encode(value)
    return PrivateSigns(b"@" in text, has_card(text), has_key_word(text), has_key_beginning(text))


def has_card(text: bytes) -> bool:
    if text.isascii() and b"0" * MIN_CARD_DIGITS not in text.translate(DIGITS_AS_ZEROS, b" -"):
        return False  # other alphabets have digits too
    return any(map(may_be_card, LONG_NUMBER.finditer(text.decode())))


def may_be_card(found: re.Match[str]) -> bool:
    """Whether digits may be a card number. Most are times, and the digits after a point."""
    if not found[0].isdigit():
        return True  # a part between the spaces may be the number
    before = found.string[found.start() - 1 : found.start()]
    return before.isalpha() or (before != "." and is_card_number(found[0]))  # a letter may belong to an escape


def has_key_word(text: bytes) -> bool:
    if not text.isascii():  # other letters may be an "s", an "i" or a "k"
        lower = text.decode().lower()
        if any(letter in lower for letter in OTHER_CASES):
            return True
        text = lower.encode()
    text = text.lower()
    return any(word in text for word in KEY_WORDS)


def has_key_beginning(text: bytes) -> bool:
    """Whether a word begins like a key, or holds such a beginning, and is as long as a key."""
    words = [word for word in text.translate(WORDS_APART).split() if len(word) >= MIN_BEGUN_KEY_BYTES]
    return any(beginning in word for word in words for beginning in SHORT_BEGINNINGS)


class FieldText(NamedTuple):
    field: str  # the name of the field it stands in
    value: str


class FieldNumber(NamedTuple):
    field: str
    value: int


class Masking:
    """The placeholders of one trace."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.replacements: dict[tuple[str, str], str] = {}  # by kind and text in lower case
        self.used: set[tuple[str, str]] = set()
        self.counts: dict[tuple[MaskedKind, str], int] = {}  # by kind and placeholder

    def mask(self, document: Any) -> Any:
        """The JSON value with every text masked. Names of fields stay, because the analysis reads them."""
        signs = find_signs(document)
        return self.mask_by(signs, document) if any(signs) else document

    def mask_by(self, signs: PrivateSigns, document: Any) -> Any:
        values = list(walk_values(document))
        texts = [value for value in values if isinstance(value, FieldText)]
        most = min(MAX_SEARCHED_WORDS, MAX_SEARCH_STEPS // (1 + sum(len(text.value) for text in texts)))
        addresses = [found for text in texts if "@" in text.value for found in EMAIL.finditer(text.value)]
        # What is a secret, or part of an address, in one place is so in every place.
        secrets = {secret for text in texts for secret in find_secrets(text)}
        is_shown = signs.address or signs.card or signs.key_beginning  # also in the names of fields
        if not secrets and not is_shown and not any(map(is_secret_number, values)):
            return document
        self.has_more_secrets = len(secrets) > most
        self.secrets = compile_words(secrets, most)
        self.names = compile_words((found[2] for found in addresses if not found[2].isalpha()), most)
        self.domains = compile_words((found[3] for found in addresses), most)
        return self.mask_value(document)

    def mask_value(self, value: Any, field: str = "") -> Any:
        if isinstance(value, str):
            return self.mask_text(self.mask_in_place(field, value) if self.has_more_secrets else value)
        if isinstance(value, dict):
            return {
                self.mask_name(name): self.mask_value(part, field_of(name, value, field))
                for name, part in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.mask_value(part, field) for part in value]
        if type(value) is int and is_card_number(str(value)):
            return int(self.mask_card(str(value)))
        if type(value) is int and is_secret_number(FieldNumber(field, value)):
            return int(self.count("key", self.replace_characters("key", str(value))))
        return value

    def mask_name(self, name: str) -> str:
        """The name of a field, as it is unless it is an address, a card number or a key itself."""
        name = BEGUN_KEY.sub(lambda found: found[1] + self.replace_characters("key", found[2]), name)
        name = EMAIL.sub(self.mask_email, name) if "@" in name else name
        return CARD.sub(lambda found: self.mask_card(found[0]), name)

    def mask_in_place(self, field: str, text: str) -> str:
        """The text with its secrets masked where their form or their field shows them, and nowhere else."""
        if is_secret_field(field) and len(text.split(maxsplit=1)) == 1:
            return self.replace_characters("key", text)
        for pattern in KEY_PATTERNS:
            text = pattern.sub(lambda found: found[1] + self.replace_characters("key", found[2]), text)
        return text

    def mask_text(self, text: str) -> str:
        text = self.secrets.sub(lambda found: self.count("key", self.replace_characters("key", found[0])), text)
        if "@" in text:
            text = EMAIL.sub(self.mask_email, text)
        text = self.names.sub(lambda found: self.replace_characters("name", found[0]), text)
        text = self.domains.sub(lambda found: self.replace_domain(found[0]), text)
        return CARD.sub(lambda found: self.mask_card(found[0]), text)

    def mask_email(self, found: re.Match[str]) -> str:
        """Addresses of one domain stay addresses of one domain."""
        before, name, domain = found.groups()
        return before + self.count("email", f"{self.replace_characters('name', name)}@{self.replace_domain(domain)}")

    def replace_domain(self, domain: str) -> str:
        """What follows the last point stays."""
        *labels, ending = domain.split(".")
        return ".".join([*(self.replace_characters("domain", label) for label in labels), ending])

    def mask_card(self, text: str) -> str:
        """The first digit and the last four stay: "the card ending in 4242" still fits."""
        number = "".join(filter(str.isdigit, text))
        if not is_card_number(number):
            return text
        masked = number[0] + self.replace_characters("card", number[1:-4]) + number[-4:]
        left = iter(self.count("card", masked))
        return "".join(next(left) if sign.isdigit() else sign for sign in text)

    def replace_characters(self, kind: str, text: str) -> str:
        """Other letters for letters and other digits for digits. The same text always gets the same ones."""
        lower = text.lower() if text.isascii() else text  # other alphabets may have more letters in lower case
        if (kind, lower) not in self.replacements:
            self.replacements[kind, lower] = self.find_free(kind, lower)
        replaced = zip(text, self.replacements[kind, lower], strict=True)
        return "".join(new.upper() if old.isupper() else new for old, new in replaced)

    def find_free(self, kind: str, text: str) -> str:
        """A replacement that no other text of the trace has."""
        found = text
        for attempt in range(MAX_PLACEHOLDER_TRIES):
            found = "".join(replace_each(text, digest_bytes(self.key, f"{kind}:{attempt}:{text}")))
            if (kind, found) not in self.used and found != text:
                break
        self.used.add((kind, found))
        return found

    def count(self, kind: MaskedKind, placeholder: str) -> str:
        self.counts[kind, placeholder] = self.counts.get((kind, placeholder), 0) + 1
        return placeholder

    def list_values(self) -> list[MaskedValue]:
        listed = list(self.counts.items())[:MAX_LISTED_PLACEHOLDERS]
        return [MaskedValue(kind, placeholder, count) for (kind, placeholder), count in listed]


def walk_values(value: Any, field: str = "") -> Iterator[FieldText | FieldNumber]:
    """Every text and every whole number of a JSON value."""
    if isinstance(value, str):
        yield FieldText(field, value)
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from walk_values(part, field_of(name, value, field))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from walk_values(part, field)
    elif type(value) is int:
        yield FieldNumber(field, value)


def field_of(name: str, owner: dict[str, Any], outer: str) -> str:
    """The name under which a value stands. An attribute of OpenTelemetry is a key and a value with its type."""
    key = owner.get("key")
    if name == "value" and isinstance(key, str):
        return key
    return outer if name in TYPE_NAMES else name


@lru_cache(MAX_KNOWN_FIELDS)
def is_secret_field(field: str) -> bool:
    return SECRET_FIELD.fullmatch(CAMEL_CASE.sub("_", field[-MAX_FIELD_CHARACTERS:])) is not None


def is_secret_number(value: FieldText | FieldNumber) -> bool:
    is_long = isinstance(value, FieldNumber) and len(str(value.value)) >= MIN_SECRET_CHARACTERS
    return is_long and is_secret_field(value.field)


def find_secrets(text: FieldText) -> Iterator[str]:
    """The keys and passwords of a text: by the name of its field, by their form, by the words before them."""
    words = text.value.split(maxsplit=2) if is_secret_field(text.field) else []
    if len(words) == 1 and len(words[0]) >= MIN_SECRET_CHARACTERS:
        yield words[0]
    elif words and words[0].lower() in SCHEMES:
        yield words[1]
    elif has_key_word(raw := text.value.encode()) or has_key_beginning(raw):
        yield from (found[2] for pattern in KEY_PATTERNS for found in pattern.finditer(text.value))


def compile_words(words: Iterable[str], most: int) -> re.Pattern[str]:
    """Finds each of the words, the longest first. With no words it finds nothing."""
    chosen = sorted(set(words), key=lambda word: (-len(word), word))[:most]
    return re.compile("|".join(map(word_pattern, chosen)) or "(?!)", re.IGNORECASE)


def word_pattern(word: str) -> str:
    """A long one is found inside other words too, such as a key after its beginning; a short one stands alone."""
    return re.escape(word) if len(word) >= LONG_SECRET_CHARACTERS else rf"(?<!\w){re.escape(word)}(?!\w)"


def replace_each(text: str, random: Iterator[int]) -> Iterator[str]:
    for sign in text:
        if sign.isdigit():
            yield digits[next(random) % 10]
        elif sign.isalpha():
            yield ascii_lowercase[next(random) % 26]
        else:
            yield sign


def digest_bytes(key: bytes, text: str) -> Iterator[int]:
    return cycle(hmac.digest(key, text.encode(), "sha512"))


def is_card_number(number: str) -> bool:
    return bool(CARD_NUMBER.fullmatch(number)) and has_check_digit(number)


def has_check_digit(number: str) -> bool:
    """Whether the last digit fits the others by the formula of Luhn."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in number[-2::-2])
    return (sum(doubled) + sum(map(int, number[-1::-2]))) % 10 == 0
