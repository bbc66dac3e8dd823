"""Each text is rendered once: at once where it is cheap, else by the worker process."""

from collections.abc import Iterator

import pytest

from tests.values import require
from viva.kit import rendering
from viva.kit.markdown_worker import RenderOrder
from viva.kit.rendering import STEPS_PER_PAGE, Renderer, budget_for_page

pytestmark = pytest.mark.slow

CHEAP = RenderOrder("Say *please*.")
COSTLY = RenderOrder("- *a*\n" * 3_000)  # 134,000 steps
TOO_COSTLY = RenderOrder("[" * 49_000)


@pytest.fixture
def renderer() -> Iterator[Renderer]:
    made = Renderer()
    yield made
    made.close()


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[RenderOrder]:
    """The orders that this process rendered or began to render."""
    orders = []
    render = RenderOrder.render

    def noted(order, budget):
        orders.append(order)
        return render(order, budget)

    monkeypatch.setattr(RenderOrder, "render", noted)
    return orders


def is_plain(html: str) -> bool:
    return html.startswith('<pre class="as-written">')


def test_a_cheap_text_is_rendered_at_once_and_only_once(renderer, rendered):
    assert renderer.html_of(CHEAP) == "<p>Say <em>please</em>.</p>\n"
    assert renderer.html_of(CHEAP) == "<p>Say <em>please</em>.</p>\n"
    assert rendered == [CHEAP]


def test_the_same_words_as_a_document_are_another_text(renderer):
    assert renderer.html_of(RenderOrder("# a", 2)) == "<h2>a</h2>\n"
    assert renderer.html_of(RenderOrder("# a", 3)) == "<h3>a</h3>\n"
    assert renderer.html_of(RenderOrder("# a")) == '<p class="heading">a</p>\n'


def test_a_costly_text_is_plain_until_the_worker_has_rendered_it(renderer, rendered):
    first = renderer.html_of(COSTLY)
    renderer.settle()
    second = renderer.html_of(COSTLY)

    assert is_plain(first)
    assert second.count("<li><em>a</em></li>") == 3_000
    assert rendered == [COSTLY]


def test_a_text_beyond_every_budget_stays_plain_and_is_not_tried_again(renderer, rendered):
    renderer.html_of(TOO_COSTLY)
    renderer.settle()

    assert is_plain(renderer.html_of(TOO_COSTLY))
    assert rendered == [TOO_COSTLY]


def test_a_text_longer_than_any_that_is_rendered_does_not_wait(renderer, rendered):
    assert is_plain(renderer.html_of(RenderOrder("a" * 50_001)))
    assert renderer._waiting.empty()
    assert rendered == []


def test_the_texts_of_a_page_share_its_budget(renderer):
    texts = [RenderOrder(f"{number} " + "*a* `b` " * 200) for number in range(20)]  # 4,000 steps each

    with budget_for_page():
        first = [is_plain(renderer.html_of(order)) for order in texts]
        left = rendering.page_budget.get().left
    renderer.settle()

    assert 0 < first.count(False) < 20
    assert first == sorted(first)
    assert -STEPS_PER_PAGE < left <= 0
    assert not any(is_plain(renderer.html_of(order)) for order in texts)


def test_a_text_that_found_no_place_is_not_tried_at_once_again(renderer, rendered, monkeypatch):
    monkeypatch.setattr(rendering, "MAX_WAITING_TEXTS", 1)
    full = Renderer()
    monkeypatch.setattr(Renderer, "_work", lambda self: None)

    for _ in range(3):
        full.html_of(TOO_COSTLY)
        full.html_of(COSTLY)

    assert rendered == [TOO_COSTLY, COSTLY]


def test_no_more_texts_wait_than_there_is_room_for(renderer, monkeypatch):
    monkeypatch.setattr(Renderer, "_work", lambda self: None)  # as slow as can be

    with budget_for_page():
        rendering.page_budget.get().left = 0
        for number in range(rendering.MAX_WAITING_TEXTS + 50):
            assert is_plain(renderer.html_of(RenderOrder(f"*{number}*")))

    assert renderer._waiting.qsize() == len(renderer._digests) == rendering.MAX_WAITING_TEXTS


def test_a_text_of_which_the_worker_dies_stays_plain_and_the_next_one_is_rendered(renderer, monkeypatch):
    monkeypatch.setattr(rendering, "WORKER_COMMAND", ("false",))
    renderer.html_of(COSTLY)
    renderer.settle()
    monkeypatch.undo()
    other = RenderOrder(COSTLY.text + "b")
    renderer.html_of(other)
    renderer.settle()

    assert is_plain(renderer.html_of(COSTLY))
    assert not is_plain(renderer.html_of(other))


def test_a_worker_that_does_not_end_is_ended(renderer, monkeypatch):
    monkeypatch.setattr(rendering, "WORKER_COMMAND", ("sleep", "60"))
    monkeypatch.setattr(rendering, "WORKER_TIMEOUT_SECONDS", 0.05)

    renderer.html_of(COSTLY)
    renderer.settle()

    assert is_plain(renderer.html_of(COSTLY))


def test_the_worker_ends_with_the_process_that_started_it(renderer):
    worker = rendering.start_worker()

    require(worker.stdin).close()

    assert worker.wait(timeout=60) == 0
    require(worker.stdout).close()
