"""A person without a mouse: every control is reached with the Tab key, and used with keys."""

from playwright.sync_api import Locator, Page

MAX_TABS = 200  # more than any page has controls; the Tab key goes round


def reach(page: Page, wanted: Locator) -> None:
    """Press Tab until the control has the focus."""
    for _ in range(MAX_TABS):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"The Tab key does not reach {wanted}.")


def press(page: Page, name: str) -> None:
    """Reach the button, the link or the summary with this text, and press Enter."""
    reach(page, page.locator("a, button, summary").filter(has_text=name, visible=True).first)
    page.keyboard.press("Enter")
    page.wait_for_load_state()


def write(page: Page, wanted: Locator, text: str) -> None:
    """Reach the field, and type after what it has."""
    reach(page, wanted)
    page.keyboard.press("Control+End")
    page.keyboard.type(text)


def choose(page: Page, wanted: Locator) -> None:
    """Reach the group of the option by Tab, and the option by its arrows."""
    group = wanted.get_attribute("name")
    for _ in range(MAX_TABS):
        if page.evaluate("document.activeElement.name ?? ''") == group:
            break
        page.keyboard.press("Tab")
    while not wanted.evaluate("element => element === document.activeElement"):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")


def tick(page: Page, wanted: Locator) -> None:
    reach(page, wanted)
    page.keyboard.press("Space")
