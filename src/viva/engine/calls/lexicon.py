"""Words for amounts, units, days and codes: what people say in a request and what a call writes for it."""

from viva.engine.text.words import words


def table(text: str) -> dict[str, float]:
    """Words with their values from `word value` pairs."""
    parts = iter(text.split())
    return {word: float(value) for word, value in zip(parts, parts, strict=True)}


SCALES = table(
    "k 1e3 thousand 1e3 million 1e6 mn 1e6 billion 1e9 bn 1e9 trillion 1e12 hundred 1e2"
    " µf 1e-6 μf 1e-6 uf 1e-6 nf 1e-9 pf 1e-12 mh 1e-3 ma 1e-3 mv 1e-3 nm 1e-9"
)
SPELLED = table(
    "zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12 thirteen 13"
    " fourteen 14 fifteen 15 sixteen 16 seventeen 17 eighteen 18 nineteen 19 twenty 20 thirty 30 forty 40 fifty 50"
    " sixty 60 seventy 70 eighty 80 ninety 90 hundred 100 thousand 1e3 million 1e6 billion 1e9 dozen 12 half 0.5"
    " quarter 0.25 couple 2 pair 2 both 2 twice 2 single 1 double 2 triple 3 first 1 second 2 third 3 fourth 4 fifth 5"
    " week 7 weeks 7 fortnight 14 month 30 weekend 2 decade 10 century 100 noon 12 midnight 0"
    " quarterly 4 monthly 12 weekly 52 daily 365 annually 1"
)
# By which factor an amount changes when the unit named here is written as another.
CONVERSIONS = {
    **dict.fromkeys(("hour", "minut", "second", "hr", "min"), (60.0, 1 / 60, 3600.0, 1 / 3600)),
    **dict.fromkeys(("kilomet", "kilogram", "gram", "kg", "km", "mm", "ml", "lit", "ton", "mg"), (1000.0, 0.001)),
    **dict.fromkeys(("met", "cm", "centimet", "percent", "cent", "dollar"), (100.0, 0.01)),
    **dict.fromkeys(("year", "month", "dozen", "feet", "foot", "inch", "annual"), (12.0, 1 / 12)),
    **dict.fromkeys(("week", "fortnight"), (7.0,)),
    **dict.fromkeys(("day",), (24.0,)),
    **dict.fromkeys(("decad",), (10.0,)),
    **dict.fromkeys(("century", "centur"), (100.0,)),
}
MONTHS = table(
    "january 1 jan 1 february 2 feb 2 march 3 mar 3 april 4 apr 4 may 5 june 6 jun 6 july 7 jul 7 august 8 aug 8"
    " september 9 sep 9 sept 9 october 10 oct 10 november 11 nov 11 december 12 dec 12"
)
CALENDAR = frozenset(MONTHS) | frozenset(words("monday tuesday wednesday thursday friday saturday sunday am pm"))
ORDINALS = frozenset(words("first second third fourth fifth firstly secondly thirdly lastly finally next"))
# Short forms that the letters of the words do not show.
CODES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("dollar", "dollars"), ("usd",)),
    **dict.fromkeys(("pound", "pounds"), ("gbp", "lb", "lbs")),
    **dict.fromkeys(("sterling", "british"), ("gbp", "uk", "gb")),
    **dict.fromkeys(("euro", "euros"), ("eur",)),
    **dict.fromkeys(("yen", "japanese"), ("jpy", "jp")),
    **dict.fromkeys(("yuan", "renminbi", "chinese"), ("cny", "rmb", "cn")),
    **dict.fromkeys(("rupee", "rupees", "indian"), ("inr", "in")),
    **dict.fromkeys(("won", "korean"), ("krw", "kr")),
    **dict.fromkeys(("peso", "pesos", "mexican"), ("mxn", "mx")),
    **dict.fromkeys(("franc", "francs", "swiss"), ("chf", "ch")),
    **dict.fromkeys(("united", "states", "america", "american"), ("us", "usa", "usd", "uk", "uae")),
    **dict.fromkeys(("kingdom", "england", "britain"), ("uk", "gb")),
    **dict.fromkeys(("australian",), ("aud",)),
    **dict.fromkeys(("canadian",), ("cad",)),
    **dict.fromkeys(("celsius", "centigrade"), ("c", "metric")),
    **dict.fromkeys(("fahrenheit",), ("f", "imperial")),
    **dict.fromkeys(("kilometer", "kilometers", "kilometre", "kilometres"), ("km", "kms")),
    **dict.fromkeys(("meter", "meters", "metre", "metres"), ("m",)),
    **dict.fromkeys(("feet", "foot"), ("ft",)),
    **dict.fromkeys(("german", "germany"), ("de",)),
    **dict.fromkeys(("spanish", "spain"), ("es",)),
    **dict.fromkeys(("english",), ("en",)),
    **dict.fromkeys(("french", "france"), ("fr",)),
}
# Words that go on with a request and are no member of the list before them.
VERBS = frozenset(
    words(
        "find get give show tell calculate compute check send book order make create what how who when where which can"
        " could include including provide use using return list compare then also i my it if please see know want need"
        " convert help add set search look buy play write update delete remove schedule estimate determine their its"
        " his her back on at but another has have had is are was takes offers allows last next change some one other"
        " more all"
    )
)
# What a call writes when it has nothing to write.
BLANK = frozenset(("", "unknown", "n/a", "none", "null", "tbd", "?", "undefined", "not specified", "string", "example"))
