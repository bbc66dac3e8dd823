"""A reading of one trace: its places in order, and each text's words and vectors, taken once."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np

from viva.engine import meaning
from viva.engine.logistic import BASE_RATE
from viva.engine.meaning import Embedder, Vector
from viva.engine.model import Interaction, Step, Trace, TraceAgent, Turn
from viva.engine.model import answering as answering
from viva.engine.progress import TurnProgress
from viva.engine.text.words import content

T = TypeVar("T")
MAX_SENTENCE_TEXTS = 2_000  # of one trace that the sentence model embeds: some ten seconds of one core
SENTENCE_TEXTS_A_TURN = 6  # at most: a message, an answer with its message, a claim with two sentences of its source
MAX_SENTENCE_TURNS = MAX_SENTENCE_TEXTS // SENTENCE_TEXTS_A_TURN
MAX_TEXT_CHARACTERS = 20_000  # characters of one text that are looked at; what follows is a dump, not speech


class Place(NamedTuple):
    """One interaction and where it stands: positions, not the indices that a trace may give its turns."""

    turn: int
    part: int
    interaction: Interaction


class Reading:
    """What every detector and measure reads from; keeps what one has worked out for the next.

    Whether the sentence model is used is decided here, once for the whole trace: each table of weights was fitted
    with it or without it.
    """

    def __init__(
        self,
        trace: Trace,
        sentence_model: bool = True,
        base_rate: float = BASE_RATE,
        progress: TurnProgress | None = None,
    ) -> None:
        self.trace = trace
        self.progress = progress
        self.base_rate = base_rate  # share of bad answers where the trace is from
        self.sentence_model = sentence_model and len(trace.turns) <= MAX_SENTENCE_TURNS
        self.agents: dict[str, TraceAgent] = {agent.id: agent for agent in trace.agents}
        self._content: dict[str, list[str]] = {}
        self._stems: dict[str, frozenset[str]] = {}
        self._made: dict[object, Any] = {}
        self._static: dict[str, Vector] = {}
        self._sentence: dict[str, Vector] = {}

    @cached_property
    def places(self) -> list[Place]:
        """Every interaction in the order of the run."""
        return [
            Place(t, i, interaction)
            for t, turn in enumerate(self.trace.turns)
            for i, interaction in enumerate(turn.agent_interactions)
        ]

    def follow(self, name: str, items: Sequence[T]) -> Iterable[T]:
        """The items of a pass over all turns. Whoever waits for the analysis learns how far it is."""
        return items if self.progress is None else self.progress.follow(name, items)

    def turn_index(self, turn: int) -> int:
        return self.trace.turns[turn].turn_index

    def content(self, text: str) -> list[str]:
        """The stems of a text's content words, in their order."""
        if text not in self._content:
            self._content[text] = content(text[:MAX_TEXT_CHARACTERS])
        return self._content[text]

    def stems(self, text: str) -> frozenset[str]:
        """The different stems among a text's content words."""
        if text not in self._stems:
            self._stems[text] = frozenset(self.content(text))
        return self._stems[text]

    def once(self, make: Callable[["Reading"], T]) -> T:
        """What a function makes of this reading, made at the first time of asking and shared from then on."""
        if make not in self._made:
            self._made[make] = make(self)
        made: T = self._made[make]
        return made

    def static(self, texts: list[str]) -> Vector:
        """Vectors of the static model, one row for each text."""
        return stack_vectors(self.vectors(texts))

    def vectors(self, texts: list[str]) -> list[Vector]:
        """The same where each is looked at by itself."""
        return embed_new(self._static, texts, meaning.static)

    def sentence(self, texts: list[str]) -> Vector:
        """Vectors of the sentence model, for the few texts in doubt. To be asked for only where `sentence_model` is set."""
        return stack_vectors(embed_new(self._sentence, texts, meaning.sentence))


def once(make: Callable[[Reading], T]) -> Callable[[Reading], T]:
    """A function of a reading that does its work once for each; who asks again shares what it made."""

    @wraps(make)
    def read_once(reading: Reading) -> T:
        return reading.once(make)

    return read_once


def embed_new(cache: dict[str, Vector], texts: list[str], embedder: Callable[[], Embedder]) -> list[Vector]:
    """The vectors of texts, computing only those not kept yet."""
    missing = list(dict.fromkeys([text for text in texts if text not in cache]))
    if missing:
        cache.update(zip(missing, embedder()(missing), strict=True))
    return [cache[text] for text in texts]


def stack_vectors(vectors: list[Vector]) -> Vector:
    return np.array(vectors) if vectors else np.zeros((0, 1), np.float32)


def interaction_text(interaction: Interaction) -> str:
    """Everything an agent said in an interaction: its thoughts, actions, observations and response."""
    parts = [part for step in interaction.agent_steps for part in (step.thought, step.action, step.observation) if part]
    return "\n".join([*parts, interaction.agent_response or ""]).strip()


def answer(turn: Turn) -> str:
    """The answer the user saw: the last response of the turn that is not empty."""
    part = answering(turn)
    return turn.agent_interactions[part].agent_response or "" if part >= 0 else ""


@once
def messages_and_answers(reading: Reading) -> list[tuple[str, str]]:
    """The message and the answer of each turn, without space around them."""
    return [((turn.user_message or "").strip(), answer(turn).strip()) for turn in reading.trace.turns]


def calls(interaction: Interaction) -> Iterator[tuple[int, Step]]:
    """The steps of an interaction that call a tool, with their positions."""
    return ((k, step) for k, step in enumerate(interaction.agent_steps) if step.tool_call is not None)
