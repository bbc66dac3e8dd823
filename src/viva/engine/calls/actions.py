"""What a tool does, read from its name and description: look something up, or change something in the world."""

import re
from functools import lru_cache

READS = frozenset(
    "get list read search find fetch check view look lookup show query retrieve describe count calculate compute convert"
    " browse inspect summarize analyze analyse compare verify validate is has think load scan print estimate parse extract"
    " rank sort filter ask tell know select see return returns gets lists reads searches finds fetches checks shows"
    " retrieves provides gives given estimates calculates display displays detect classify translate lookups visit explore"
    " monitor watch preview recall evaluate identify locate discover examine navigate download measure test".split()
)
CHANGES = frozenset(
    "send post write create add update delete remove cancel book reserve schedule reschedule invite share transfer pay buy"
    " order purchase set change modify edit move copy rename upload publish submit append insert execute run reply forward"
    " approve reject subscribe unsubscribe block grant revoke reset enable disable install deploy commit merge push close"
    " assign register enroll donate withdraw deposit refund exchange turn start stop make place put save store message"
    " email notify call draft sell issue record log mark replace apply launch kill terminate archive release respond"
    " broadcast tweet comment like follow unfollow rate review sign login logout authorize sends posts writes creates adds"
    " updates deletes removes cancels books reserves schedules invites shares transfers pays sets changes saves"
    " accept activate adjust charge confirm deactivate decline downgrade enrol extend fix label lock mute open process reboot"
    " redeem refuel renew rent restart resume rotate scale star suspend toggle unlock upgrade".split()
)
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


@lru_cache(maxsize=4_096)
def name_words(name: str) -> tuple[str, ...]:
    """The words of a tool's name: "send_money" and "sendMoney" are both send, money."""
    return tuple(part.lower() for part in PART.findall(name))


@lru_cache(maxsize=4_096)
def changes(name: str, description: str = "") -> float:
    """How likely a tool changes something: 1 a deed, 0 a look-up, 0.5 where neither name nor description tells."""
    for word in [*name_words(name), *name_words(description[:200])]:
        if word in CHANGES:
            return 1.0
        if word in READS:
            return 0.0
    return 0.5


def leaves(value: object, depth: int = 6) -> list[str]:
    """The values inside the arguments of a call, as text; switches and empty values say nothing of their own."""
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves(part, depth - 1)] if depth else []
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in leaves(part, depth - 1)] if depth else []
    return [] if value is None or isinstance(value, bool) else [str(value)]
