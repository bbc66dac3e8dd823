"""The interactions of a team's run with what each said, as the finders of faults between agents read them."""

from functools import cached_property

from viva.engine.faults import RunFault, make_fault
from viva.engine.reading import Reading
from viva.engine.team.agents import Directory, Roles
from viva.engine.team.flow import AgentRun, passed_text

MAX_CHANCES = 400  # interactions that are looked at; later ones are too many to be read
NOTHING_NEW = 0.15  # share of new words up to which a message brings nothing


class TeamTalk:
    """The interactions of a run with what each said, for the finders below."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.places = reading.places[:MAX_CHANCES]
        self.texts = [(place.interaction.agent_response or "").strip() for place in self.places]
        self.passed = [passed_text(place.interaction) for place in self.places]
        self.stems = [reading.stems(text) for text in self.passed]
        self.names = reading.once(Directory)
        self.roles = reading.once(Roles)
        self.called = [any(step.tool_call for step in place.interaction.agent_steps) for place in self.places]

    @cached_property
    def spoken_to(self) -> list[str | None]:
        """The agent that each message calls by name."""
        return [self.names.spoken_to(text) for text in self.texts]

    def agent(self, at: int) -> str:
        return self.places[at].interaction.agent_id

    def turn(self, at: int) -> int:
        return self.places[at].turn

    def same_turn(self, one: int, two: int) -> bool:
        return one >= 0 and two < len(self.places) and self.turn(one) == self.turn(two)

    def fault(
        self, kind: str, at: int, confidence: float, why: str, step: int | None = None, quote: str = ""
    ) -> RunFault:
        place = self.places[at]
        quote = quote or AgentRun(place.interaction.agent_id, [place]).last_words
        return make_fault(self.reading, kind, place, confidence, why, quote, step)
