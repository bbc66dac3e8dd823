"""What tests of exams that are passed or failed at once share: the exam as a handler sees it, and a candidate who can read."""

import hashlib
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from viva.agents.model import Agent
from viva.evaluations.model import Evaluation
from viva.exams.model import Challenge, Exam, HubFacts, Registration

AT = datetime(2026, 11, 15, 12, tzinfo=UTC)
KEY_HASH = hashlib.sha256(b"viva_example").hexdigest()


def evaluation(**config: Any) -> Evaluation:
    fields = dict.fromkeys(Evaluation.__struct_fields__, "")
    return Evaluation(**{**fields, "type": "simple_pass_fail", "config": config})  # type: ignore[arg-type]


def exam(
    name: str = "Ada", description: str = "An agent that sits exams.", hosts: tuple[str, ...] = (), **config: Any
) -> Exam:
    registration = Registration("eval_reg_1", "agent_ada", "simple", "in_progress", "1.0.0", "", AT, AT, None)
    hall = HubFacts(b"a secret", "http://hub.example", hosts)
    return Exam(evaluation(**config), registration, Agent("agent_ada", name, description, False, AT), KEY_HASH, hall)


def challenge(content: dict[str, Any]) -> Challenge:
    return Challenge("eval_chal_1", "eval_reg_1", content, AT, AT + timedelta(minutes=10), None)


# How somebody who has only the sentences understands them.
UNDERSTOOD: list[tuple[str, Callable[[list[str], int], list[str]]]] = [
    (r"from a to z|alphabetical", lambda words, n: sorted(words)),
    (r"number of letters|shorter words before", lambda words, n: by_length(words)),
    (r"order of the words: the last|from the last to the first", lambda words, n: list(reversed(words))),
    (r"first, third, fifth|even number", lambda words, n: [w for at, w in enumerate(words, 1) if at % 2]),
    (r"word backwards|letters of every word", lambda words, n: ["".join(reversed(w)) for w in words]),
    (r"shortest|fewest letters", lambda words, n: less(words, min(map(len, words)))),
    (r"longest|most letters", lambda words, n: less(words, max(map(len, words)))),
    (r"a, e, i, o", lambda words, n: [re.sub("[aeiou]", "", w) for w in words]),
    (r"(\d) times", lambda words, n: moved(words, n)),
    (r"wword", lambda words, n: [w[0] + w[0] + w[1:] for w in words]),
    (r"ordw", lambda words, n: [w[1:] + w[0] for w in words]),
    (r"[Ff]irst (word of the list )?and the last", lambda words, n: words[-1:] + words[1:-1] + words[:1]),
]


def by_length(words: list[str]) -> list[str]:
    return [word for length in range(100) for word in words if len(word) == length]


def less(words: list[str], length: int) -> list[str]:
    place = [len(word) for word in words].index(length)
    return [word for at, word in enumerate(words) if at != place]


def moved(words: list[str], times: int) -> list[str]:
    for _ in range(times):
        words = [*words[1:], words[0]]
    return words


def carried_out(told: str, words: list[str]) -> list[str]:
    """The words after the step; exactly one understanding fits it."""
    (understood,) = [(re.search(pattern, told), do) for pattern, do in UNDERSTOOD if re.search(pattern, told)]
    found, do = understood
    assert found
    return do(words, int(found[1]) if found.groups() and (found[1] or "").isdigit() else 0)


def solved(shown: dict[str, Any]) -> str:
    """The answer to a challenge, from what its candidate is shown."""
    words = shown["words"]
    for told in shown["steps"][:-1]:
        words = carried_out(told, words)
    return hashlib.sha256((shown["nonce"] + ":" + " ".join(words)).encode()).hexdigest()
