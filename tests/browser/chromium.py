# SPDX-License-Identifier: GPL-3.0-or-later
"""A real browser for our pages: the system's Chromium, without a window."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

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
