"""Cards of a class's task: facts that are dealt round to the participants, so that each has a part to tell."""

import re

CARD = re.compile(r"^Card \d+[^:\n]*:\s*(?P<fact>.+)$", re.MULTILINE)
NO_CARD = "I am a scripted partner. I hold no facts of my own; please say what you need to settle the task."
ASSENT = "Yes, that fits what I hold. I agree, if nobody sees a contradiction with my part."


def tell_cards(task: str, number: int, count: int) -> str:
    """The facts of the cards that belong to this place in the order, from 0, dealt round."""
    facts = [match["fact"] for match in CARD.finditer(task)][number::count]
    return " ".join(f"My card says: {fact}" for fact in facts) or NO_CARD
