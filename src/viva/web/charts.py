"""Charts as geometry: values go in, places on a sheet of 480 by 220 come out, and templates draw them."""

from collections.abc import Sequence
from datetime import date
from math import log2
from typing import NamedTuple

from viva.results.findings import MonthRate
from viva.results.overview import PassRate

WIDTH, HEIGHT = 480, 220
LEFT, RIGHT, TOP, BOTTOM = 46, 470, 22, 178  # the edges of what is drawn; labels stand outside
BAR_GAP = 5  # between bars
MAX_MONTHS_DRAWN = 24
MAX_AXIS_LABELS = 5  # below a chart, so that they stay apart on a phone


class Tick(NamedTuple):
    at: float
    label: str


class Bar(NamedTuple):
    x: float
    y: float
    width: float
    height: float
    attempts: int
    label: str

    @property
    def middle(self) -> float:
        return round(self.x + self.width / 2, 1)

    @property
    def short(self) -> str:
        """The number of attempts, as narrow as the bar."""
        return short(self.attempts)


class Histogram(NamedTuple):
    bars: list[Bar]
    ticks: list[Tick]
    mean: float | None  # where it stands


class Month(NamedTuple):
    """A month's pass rate, and the ends of its interval."""

    x: float
    y: float
    low: float
    high: float
    label: str
    rate: PassRate


class Months(NamedTuple):
    points: list[Month]
    ticks: list[Tick]
    earlier: int  # months with attempts that are not drawn

    @property
    def line(self) -> str:
        return " ".join(f"{point.x:.1f},{point.y:.1f}" for point in self.points)


class Spot(NamedTuple):
    """A number of messages and a share of the score."""

    messages: int
    share: float


class Scatter(NamedTuple):
    places: list[tuple[float, float]]
    ticks: list[Tick]


class ChartArea(NamedTuple):
    """What charts are drawn on; `shares` are the lines across it."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    shares: list[Tick]


SHARES = [Tick(BOTTOM - share * (BOTTOM - TOP) / 100, f"{share}%") for share in (0, 25, 50, 75, 100)]
SHEET = ChartArea(WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM, SHARES)


def short(count: int) -> str:
    """950 as 950, 1234 as 1.2k, 56789 as 57k, 2500000 as 2.5M."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:.1f}{letter}" if count < 10 * size else f"{count / size:.0f}{letter}"
    return str(count)


def height_of(share: float) -> float:
    return round(BOTTOM - min(max(share, 0.0), 1.0) * (BOTTOM - TOP), 1)


def across(share: float) -> float:
    return round(LEFT + min(max(share, 0.0), 1.0) * (RIGHT - LEFT), 1)


def histogram(counts: Sequence[int], mean: float | None) -> Histogram | None:
    """A bar for each tenth of the most; None where there are no scores."""
    most = max(counts, default=0)
    if most == 0:
        return None
    step = (RIGHT - LEFT) / len(counts)
    bars = [bar(LEFT + number * step, step, count, most, number, len(counts)) for number, count in enumerate(counts)]
    ticks = [Tick(across(share / 100), f"{share}%") for share in (0, 25, 50, 75, 100)]
    return Histogram(bars, ticks, None if mean is None else across(mean))


def bar(x: float, step: float, count: int, most: int, number: int, bins: int) -> Bar:
    # One result among a million still shows.
    height = max(count / most * (BOTTOM - TOP), 2.0) if count else 0.0
    label = f"{number * 100 // bins} to {(number + 1) * 100 // bins}%"
    return Bar(
        round(x + BAR_GAP / 2, 1), round(BOTTOM - height, 1), round(step - BAR_GAP, 1), round(height, 1), count, label
    )


def months(rates: Sequence[MonthRate]) -> Months | None:
    """The last two years that had attempts, each month at its place in time."""
    if not rates:
        return None
    last = ordinal(rates[-1].month)
    shown = [rate for rate in rates if ordinal(rate.month) > last - MAX_MONTHS_DRAWN]
    first = ordinal(shown[0].month)
    points = [month(rate, ordinal(rate.month) - first, last - first) for rate in shown]
    return Months(points, ticks_of(first, last), len(rates) - len(shown))


def ordinal(month: str) -> int:
    year, number = month.split("-")
    return int(year) * 12 + int(number) - 1


def month(rate: MonthRate, place: int, span: int) -> Month:
    found = rate.rate
    return Month(
        place_in(place, span),
        height_of(found.share),
        height_of(found.low),
        height_of(found.high),
        month_name(ordinal(rate.month)),
        found,
    )


def place_in(place: int, span: int) -> float:
    """Half a step from either edge, so that a label fits below; a single month stands in the middle."""
    return across((place + 0.5) / (span + 1))


def ticks_of(first: int, last: int) -> list[Tick]:
    step = -(-(last - first + 1) // MAX_AXIS_LABELS)
    return [Tick(place_in(at - first, last - first), month_name(at)) for at in range(first, last + 1, step)]


def month_name(number: int) -> str:
    return f"{date(number // 12, number % 12 + 1, 1):%b %Y}"


def scatter(spots: Sequence[Spot]) -> Scatter | None:
    """Messages to the right, from the fewest to the most, each doubling as wide as another; the share of the score upwards."""
    if not spots:
        return None
    counts = [spot.messages for spot in spots]
    least, most = min(counts), max(counts)
    places = [(right_of(spot.messages, least, most), height_of(spot.share)) for spot in spots]
    return Scatter(places, [Tick(right_of(count, least, most), f"{count:,}") for count in tick_labels(least, most)])


def tick_labels(least: int, most: int) -> list[int]:
    """The ends, and doublings that keep apart from them."""
    doublings = [2**power for power in range(1, most.bit_length()) if 1.2 * least < 2**power < most / 1.2]
    step = max(1, -(-len(doublings) // (MAX_AXIS_LABELS - 2)))
    return sorted({least, *doublings[::step], most})


def right_of(messages: int, least: int, most: int) -> float:
    """Where all are equally long, they stand in the middle."""
    if least == most:
        return across(0.5)
    return across(0.03 + 0.94 * log2((1 + messages) / (1 + least)) / log2((1 + most) / (1 + least)))
