"""Compute the geometry of charts on an area of 480 by 220. Templates draw them."""

from collections.abc import Sequence
from datetime import date
from math import log2
from typing import NamedTuple

from viva.results.findings import MonthRate
from viva.results.overview import PassRate

WIDTH, HEIGHT = 480, 220
LEFT, RIGHT, TOP, BOTTOM = 46, 470, 22, 178  # the edges of the plot; labels are outside
BAR_GAP = 5
MAX_MONTHS_DRAWN = 24
MAX_AXIS_LABELS = 5  # so that labels do not overlap on a phone


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
        """The number of attempts, short enough to fit above the bar."""
        return short(self.attempts)


class Histogram(NamedTuple):
    bars: list[Bar]
    ticks: list[Tick]
    mean: float | None  # its x position


class Month(NamedTuple):
    """The pass rate of a month, and the ends of its interval."""

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
    """The area that charts are drawn on. `shares` are its grid lines."""

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
    """One bar for each tenth of the maximum score. None if there are no scores."""
    highest = max(counts, default=0)
    if highest == 0:
        return None
    step = (RIGHT - LEFT) / len(counts)
    bars = [bar(LEFT + number * step, step, count, highest, number, len(counts)) for number, count in enumerate(counts)]
    ticks = [Tick(across(share / 100), f"{share}%") for share in (0, 25, 50, 75, 100)]
    return Histogram(bars, ticks, None if mean is None else across(mean))


def bar(x: float, step: float, count: int, highest: int, number: int, bins: int) -> Bar:
    # A bar has at least 2 units, so that one result among a million is visible.
    height = max(count / highest * (BOTTOM - TOP), 2.0) if count else 0.0
    label = f"{number * 100 // bins} to {(number + 1) * 100 // bins}%"
    return Bar(
        round(x + BAR_GAP / 2, 1), round(BOTTOM - height, 1), round(step - BAR_GAP, 1), round(height, 1), count, label
    )


def months(rates: Sequence[MonthRate]) -> Months | None:
    """The last 24 months up to the newest attempt. A month without attempts leaves a gap."""
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
    pass_rate = rate.rate
    return Month(
        place_in(place, span),
        height_of(pass_rate.share),
        height_of(pass_rate.low),
        height_of(pass_rate.high),
        month_name(ordinal(rate.month)),
        pass_rate,
    )


def place_in(place: int, span: int) -> float:
    """Return the x position. Points keep half a step from the edges, so that labels fit."""
    return across((place + 0.5) / (span + 1))


def ticks_of(first: int, last: int) -> list[Tick]:
    step = -(-(last - first + 1) // MAX_AXIS_LABELS)
    return [Tick(place_in(at - first, last - first), month_name(at)) for at in range(first, last + 1, step)]


def month_name(number: int) -> str:
    return f"{date(number // 12, number % 12 + 1, 1):%b %Y}"


def scatter(spots: Sequence[Spot]) -> Scatter | None:
    """Place the number of messages on a logarithmic x axis, and the share of the score on the y axis."""
    if not spots:
        return None
    counts = [spot.messages for spot in spots]
    least, most = min(counts), max(counts)
    places = [(right_of(spot.messages, least, most), height_of(spot.share)) for spot in spots]
    return Scatter(places, [Tick(right_of(count, least, most), f"{count:,}") for count in tick_labels(least, most)])


def tick_labels(least: int, most: int) -> list[int]:
    """Return both ends, and powers of two that are not too close to them."""
    doublings = [2**power for power in range(1, most.bit_length()) if 1.2 * least < 2**power < most / 1.2]
    step = max(1, -(-len(doublings) // (MAX_AXIS_LABELS - 2)))
    return sorted({least, *doublings[::step], most})


def right_of(messages: int, least: int, most: int) -> float:
    """Return the x position. If all conversations are equally long, it is the middle."""
    if least == most:
        return across(0.5)
    return across(0.03 + 0.94 * log2((1 + messages) / (1 + least)) / log2((1 + most) / (1 + least)))
