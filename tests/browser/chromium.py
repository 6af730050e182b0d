# SPDX-License-Identifier: GPL-3.0-or-later
"""A real browser for our pages: the system's Chromium, without a window."""

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
"""Seconds that something is waited for, on machines with much to do."""

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
NONE = "No Chromium is at hand: install it (apt-get install chromium), or name its program in GENMM_BROWSER"


@contextmanager
def opened_browser() -> Iterator[Browser]:
    """The browser; the test is skipped where there is none."""
    program = os.environ.get("GENMM_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(NONE)
    with sync_playwright() as playwright:
        # Its sandbox needs rights that containers do not give.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def watched_page(browser: Browser, allowed: tuple[str, ...]) -> Iterator[Page]:
    """An empty page that fails the test for each error in it, and for each request but those that begin so."""
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
    """Wait until an expression is true; Playwright's own way of waiting is one that the page's policy refuses."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if page.evaluate(expression, argument):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"It does not come true: {expression}")


def nameless(page: Page) -> list[str]:
    """Return what can be pressed, filled in or looked at, and has no name for screen readers."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, canvas[role], ul[id], dialog, progress")]
        .filter((one) => !one.matches("[aria-label]") && !one.closest("[hidden]"))
        .filter((one) => !one.labels?.length && !(one.matches("button") && one.textContent.trim()))
        .map((one) => one.outerHTML)"""
    )
    return found
