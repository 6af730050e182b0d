# SPDX-License-Identifier: GPL-3.0-or-later
"""The system's Chromium, without a window, for tests of our pages."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

SCREENSHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
PATIENCE = 30.0
"""Longest time to wait for something, in seconds, on busy machines."""

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
NONE = "No Chromium is at hand: install it (apt-get install chromium), or name its program in GENMM_BROWSER"


@contextmanager
def opened_browser() -> Iterator[Browser]:
    """Yield the browser; skip the test if there is none."""
    program = os.environ.get("GENMM_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(NONE)
    with sync_playwright() as playwright:
        # Chromium's sandbox needs rights that containers do not give.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def watched_page(browser: Browser, allowed: tuple[str, ...]) -> Iterator[Page]:
    """Yield an empty page that fails the test on errors, and on requests to other than the allowed beginnings."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="light")
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("request", lambda request: None if request.url.startswith(allowed) else wrong.append(request.url))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    yield page
    context.close()
    assert wrong == []


def until(page: Page, expression: str, argument: object = None) -> None:
    """Wait until an expression is true; the page's policy forbids Playwright's own way of waiting."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if page.evaluate(expression, argument):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"It does not come true: {expression}")


def nameless(page: Page) -> list[str]:
    """Return the elements for pressing, filling in or viewing that have no name for screen readers."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, canvas[role], ul[id], dialog, progress")]
        .filter((one) => !one.matches("[aria-label]") && !one.closest("[hidden]"))
        .filter((one) => !one.labels?.length && !(one.matches("button") && one.textContent.trim()))
        .map((one) => one.outerHTML)"""
    )
    return found
