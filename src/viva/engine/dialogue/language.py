"""The language of the users of a trace, told from its small words: English, German, Spanish, or one that is not covered."""

from collections.abc import Mapping

from viva.engine.reading import Reading, once
from viva.engine.text.words import STOP, split_words

COVERED = ("en", "de", "es")
OTHER = "other"
LOOKED_AT = 2_000  # characters of all messages together; more would not change what is told
MANY_LETTERS = 0.3  # share of letters beyond Latin that no covered language has
SMALL_WORDS: Mapping[str, frozenset[str]] = {
    "en": STOP | frozenset("yes no not don't i'm it's that's thanks thank you hi hello okay need want".split()),
    "de": frozenset(
        "der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine ist sind war waren bin hat habe haben"
        " ich du er sie es wir ihr mich mir dich dir uns ihnen mein meine meinen meiner dein sein ihre ihren wie was wer wo wann warum"
        " welche welcher welches mit von vom zu zum zur für auf aus bei nach im am um an bitte danke ja nein auch noch nur schon doch"
        " dann so als wenn dass kann können möchte will soll wird werden gibt gut hallo sehr jetzt mehr da dazu statt".split()
    ),
    "es": frozenset(
        "el la los las un una unos unas y o pero no es son era está están estoy soy de del al a en con por para que qué quién cuándo"
        " cuánto cuánta dónde cómo cuál yo tú él ella usted me te se le lo nos mi mis tu su sus este esta esto eso ese esa muy más ya"
        " sí gracias favor hola también entonces quiero quisiera puede puedo puedes hay tiene tengo ha he has como si sin sobre bien".split()
    ),
    OTHER: frozenset(
        "le les est une des du je vous nous pas et ou qui pour avec dans sur ce cette mon votre merci bonjour oui non sont"  # French
        " il lo gli di che per sono non una della nel questo grazie ciao si ho anche come perché"  # Italian
        " o os um uma não você com são isso obrigado obrigada sim por favor meu minha está eu"  # Portuguese
        " het een ik je niet van en dat voor met op zijn wij dank alstublieft hoe wat naar geen"  # Dutch
        " jag är inte och att det som på med tack har nie jest się na co dziękuję proszę bir ve bu için teşekkürler".split()
    ),
}


@once
def language(reading: Reading) -> str:
    """The language of the users' messages; English where nothing tells."""
    messages = [turn.user_message for turn in reading.trace.turns if turn.user_message]
    return language_of(" ".join(messages)[:LOOKED_AT])


def language_of(text: str) -> str:
    """The language whose small words are most frequent in a text; OTHER if it is not covered."""
    text = text[:LOOKED_AT]
    letters = () if text.isascii() else [sign for sign in text if sign.isalpha()]
    if sum(sign > "\u024f" for sign in letters) > MANY_LETTERS * len(letters):
        return OTHER
    words = split_words(text.lower())
    counts = {name: sum(map(small.__contains__, words)) for name, small in SMALL_WORDS.items()}
    return max((*COVERED, OTHER), key=counts.__getitem__)
