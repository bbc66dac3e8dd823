"""Words for amounts, days and codes: what people say in a request and what a call writes for it."""

from viva.engine.text import dates


def table(text: str) -> dict[str, float]:
    """Words with their values from `word value` pairs."""
    parts = iter(text.split())
    return {word: float(value) for word, value in zip(parts, parts, strict=True)}


SCALES = table("k 1e3 thousand 1e3 m 1e6 million 1e6 mn 1e6 billion 1e9 bn 1e9 trillion 1e12 hundred 1e2")
SPELLED = table(
    "zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12 thirteen 13"
    " fourteen 14 fifteen 15 sixteen 16 seventeen 17 eighteen 18 nineteen 19 twenty 20 thirty 30 forty 40 fifty 50"
    " sixty 60 seventy 70 eighty 80 ninety 90 hundred 100 thousand 1e3 million 1e6 billion 1e9 dozen 12 half 0.5"
    " quarter 0.25 couple 2 pair 2 both 2 twice 2 single 1 double 2 triple 3 first 1 second 2 third 3 fourth 4 fifth 5"
    " week 7 weeks 7 fortnight 14 month 30 year 365 weekend 2 decade 10 century 100 noon 12 midnight 24"
)
# By which factor an amount changes when its unit does: minutes, hours, months, percents, thousands.
CONVERSIONS = tuple(
    factor for unit in (1.0, 7.0, 12.0, 24.0, 60.0, 100.0, 1e3, 3600.0, 1e6) for factor in {unit, 1 / unit}
)
MONTHS = {name: float(k) for k, month in enumerate(dates.MONTHS, 1) for name in (month, month[:3])} | {"sept": 9.0}
RELATIVE_TIMES = frozenset(dates.WEEKDAYS) | frozenset(
    "today tonight tomorrow yesterday now next last latest current currently recent week weeks weekend days ago month"
    " morning afternoon evening noon midnight soon asap heute morgen gestern hoy mañana ayer".split()
)
# Short forms that the letters of the words do not show.
CODES: dict[str, str] = dict(
    pair.split(":")
    for pair in (
        "dollar:usd dollars:usd pound:gbp pounds:gbp euros:eur rupees:inr francs:chf pesos:mxn sterling:gbp british:gbp euro:eur yen:jpy japanese:jpy yuan:cny chinese:cny rupee:inr franc:chf"
        " swiss:chf peso:mxn american:usd australian:aud canadian:cad kingdom:uk america:us celsius:metric"
        " fahrenheit:imperial feet:ft foot:ft german:de germany:de spanish:es english:en french:fr"
    ).split()
)
