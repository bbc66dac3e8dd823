"""How far an agent says what it has said before."""

from viva.engine.model import Trace
from viva.engine.reading import Reading
from viva.engine.team.echoes import RECENT, Echo, SpeechMemory


def memory(*texts: str) -> SpeechMemory:
    made = SpeechMemory(Reading(Trace("trace-1", ()), sentence_model=False))
    for text in texts:
        made.echo(text)
    return made


def test_a_first_text_echoes_nothing():
    assert memory().echo("The pool opens at eight.") == Echo(False, 0.0)


def test_the_same_words_are_an_exact_echo_whatever_their_case_and_spaces():
    assert memory("The pool opens at eight.").echo("the  pool opens at EIGHT.") == Echo(True, 1.0)


def test_a_likeness_is_the_share_of_common_words():
    assert memory("The pool opens early").echo("The pool opens late") == Echo(False, 0.5)


def test_an_old_text_is_only_known_word_for_word():
    others = [f"Word{k} stands alone{k}" for k in range(RECENT)]

    assert memory("The pool opens early", *others).echo("The pool opens late") == Echo(False, 0.0)
    assert memory("The pool opens early", *others).echo("The pool opens early").exact
