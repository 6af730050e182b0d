# SPDX-License-Identifier: GPL-3.0-or-later
"""Films of our moving pages for the documentation: genmm serve, and a gallery of motions made with it.

It is run by tests/gui/take_pictures.py in the environment of `build.py pages`, with a Blender in
GENMM_BLENDER_PYTHON.
"""

import os
import signal
import subprocess
import tempfile
from pathlib import Path

from chromium import SCREENSHOTS, opened_browser, until
from playwright.sync_api import Browser, Page

BATCH = Path(__file__).resolve().parents[2] / "genmm_addon" / "batch.py"
PYTHON = os.environ["GENMM_BLENDER_PYTHON"]
SIZE = (880, 640)
"""Width and height of the page in pixels: two columns of figures, at half size in the documentation."""
STEP = 90
"""Time between two photographs, in milliseconds."""


class Film:
    """Photographs of a page in sequence."""

    def __init__(self, page: Page, name: str) -> None:
        self.page, self.name, self.count = page, name, 0
        for path in SCREENSHOTS.glob(f"film-{name}-*.png"):
            path.unlink()

    def roll(self, count: int) -> None:
        """Take a number of photographs of the moving page."""
        for _ in range(count):
            self.page.wait_for_timeout(STEP)
            self.page.screenshot(path=SCREENSHOTS / f"film-{self.name}-{self.count:03}.png")
            self.count += 1


def new_page(browser: Browser) -> Page:
    """Return an empty page of the films' size."""
    return browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="light")


def film_serve(browser: Browser, folder: Path) -> Path:
    """Film the page for newcomers, from the sample character to a kept variation; return this variation as BVH."""
    command = [PYTHON, "-P", str(BATCH), "serve", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        page = new_page(browser)
        page.goto(process.stdout.readline().split()[-1])
        until(page, "window.novice !== undefined")
        film = Film(page, "serve")
        film.roll(3)
        page.get_by_role("button", name="Try the Sample Character").click()
        until(page, "window.novice.stage.drawnMoving > 1 && window.novice.job === null")
        film.roll(10)
        page.get_by_role("button", name="Keep Variation 2 of GenMM Sample").click()
        film.roll(10)
        with page.expect_download() as download:
            page.get_by_role("button", name="Download Variation 2 of GenMM Sample as BVH").click()
        download.value.save_as(folder / "walk.bvh")
        process.send_signal(signal.SIGTERM)
    return folder / "walk.bvh"


def film_gallery(browser: Browser, walk: Path) -> None:
    """Film a gallery of variations of a motion: all of them moving, one large beside its example, and a favorite."""
    takes = walk.parent / "takes"
    words = (
        "generate",
        walk,
        "--seeds",
        "1-8",
        "--frames",
        90,
        "--output",
        takes / "{name}_{seed:02}.bvh",
        "--gallery",
    )
    subprocess.run([PYTHON, "-P", BATCH, *map(str, words)], check=True)
    page = new_page(browser)
    page.goto((takes / "gallery.html").as_uri())
    until(page, "window.gallery?.motions.found.size > 0")
    film = Film(page, "gallery")
    film.roll(10)
    page.locator(".clip .open").nth(1).focus()
    page.keyboard.press("f")
    film.roll(4)
    page.keyboard.press("Enter")
    film.roll(10)


if __name__ == "__main__":
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    with opened_browser() as the_browser, tempfile.TemporaryDirectory() as there:
        film_gallery(the_browser, film_serve(the_browser, Path(there)))
