# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm serve` in a real browser: a motion is dropped, varied, kept and downloaded; hostile input runs no code."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import SCREENSHOTS, nameless, opened_browser, until, watched_page
from playwright.sync_api import Browser, Page

from genmm_addon.core.motion import read_bvh_motion

SCRIPT = Path(__file__).resolve().parents[2] / "genmm_addon" / "batch.py"
HOSTILE = "<img src=x onerror='window.hacked = 1'>\"${1}.bvh"
MOVING = "window.novice.stage.drawnMoving > 1"
IDLE = "window.novice.job === null"
DROP = """([name, text, times]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text.repeat(times)], name));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""
PRESS_CANCEL = """() => {
    const waiting = setInterval(() => {
        if (window.novice.job > 0) {
            clearInterval(waiting);
            document.getElementById("cancel").click();
        }
    }, 10);
}"""
"""Presses Cancel as soon as a job is known."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with opened_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    python = os.environ.get("GENMM_BLENDER_PYTHON")
    if python is None:
        pytest.skip("No Blender is at hand to serve: set one up with python build.py test")
    command = [python, "-P", str(SCRIPT), "serve", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
    assert process.returncode == 0


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with watched_page(browser, (address, "blob:")) as page:
        page.goto(address)
        until(page, "window.novice !== undefined")
        yield page


@pytest.fixture(scope="module")
def walk(browser: Browser, address: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a BVH file made by the page itself: a variation of the sample character."""
    page = browser.new_page()
    page.goto(address)
    page.get_by_role("button", name="Try the Sample Character").click()
    until(page, f"{MOVING} && {IDLE}")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download Variation 1 of GenMM Sample as BVH").click()
    assert download.value.suggested_filename == "GenMM Sample_0001.bvh"
    path = tmp_path_factory.mktemp("walk") / "walk.bvh"
    download.value.save_as(path)
    page.close()
    return path


def drop(page: Page, name: str, text: str, times: int = 1) -> None:
    page.evaluate(DROP, [name, text, times])


def problem(page: Page) -> str:
    """Return the sentence on an error, after all work is done."""
    until(page, f"{IDLE} && document.getElementById('problem').textContent !== ''")
    return str(page.get_by_role("alert").inner_text())


def test_a_dropped_motion_moves_is_varied_and_a_variation_is_kept_and_downloaded(
    page: Page, walk: Path, tmp_path: Path
) -> None:
    drop(page, "walk.bvh", walk.read_text(encoding="utf-8"))
    until(page, f"{MOVING} && {IDLE}")
    assert page.get_by_role("button", name="Keep Variation").count() == 4
    page.get_by_role("button", name="Keep Variation 2 of walk").click()
    page.get_by_label("Length").fill("2")
    page.get_by_label("Variations", exact=True).fill("3")
    page.get_by_label("Loop").select_option("in-place")
    page.get_by_text("Body parts", exact=True).click()
    page.get_by_label("Left arm").select_option("free")
    page.get_by_role("button", name="Make New Variations").click()
    until(page, f"{IDLE} && document.querySelectorAll('.variation').length === 4")
    assert page.locator(".variation h3").all_inner_texts() == [f"Variation {number}" for number in (2, 5, 6, 7)], (
        "the kept one stays"
    )
    assert nameless(page) == []
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / "serve.png", full_page=True)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download Variation 5 of walk as BVH").click()
    path = tmp_path / "again.bvh"
    download.value.save_as(path)
    assert download.value.suggested_filename == "walk_0005.bvh"
    motion = read_bvh_motion(path).motion
    assert (motion.frames - 1) / motion.frames_per_second == pytest.approx(2.0, abs=0.05)
    assert motion.skeleton.names == read_bvh_motion(walk).motion.skeleton.names


def test_the_page_works_with_the_keyboard_alone(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the motions"
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "sample":
            break
    page.keyboard.press("Enter")
    until(page, f"{MOVING} && {IDLE}")
    page.locator("#example").focus()
    turns = page.evaluate("window.novice.stage.turns")
    page.keyboard.press("d")
    assert page.evaluate("window.novice.stage.turns") > turns
    page.keyboard.press(" ")
    assert page.get_by_role("button", name="Play", exact=True).is_visible(), "Space pauses"


def test_each_bad_file_is_reported_in_one_sentence(page: Page, walk: Path) -> None:
    text = walk.read_text(encoding="utf-8")
    drop(page, "large.bvh", "x" * 2**10, 65 * 2**10)
    assert problem(page) == (
        '"large.bvh" has 65 MB, more than the limit of 64 MB; cut it, or restart with a larger --size-limit.'
    )
    for name, content, said in (
        ("half.bvh", text[: len(text) // 2], "cut short"),
        ("film.mov", "x", "is not a motion file"),
        ("empty.bvh", "", "is empty"),
        (HOSTILE, "x", "is not a BVH file"),
    ):
        page.evaluate("window.novice.say('')")
        drop(page, name, content)
        sentence = problem(page)
        assert said in sentence and sentence.endswith(".") and sentence.count(". ") == 0, sentence


def test_hostile_names_are_shown_without_running(page: Page, walk: Path) -> None:
    drop(page, HOSTILE, walk.read_text(encoding="utf-8"))
    until(page, f"{MOVING} && {IDLE}")
    assert "onerror" in page.locator("#example-name").inner_text()
    assert page.locator("img").count() == 0 and page.evaluate("window.hacked") is None


def test_generating_can_be_canceled(page: Page) -> None:
    page.get_by_role("button", name="Try the Sample Character").click()
    until(page, f"{MOVING} && {IDLE}")
    page.get_by_label("Length").fill("120")
    page.get_by_label("Variations", exact=True).fill("12")
    # Pressed by the page itself: on a busy machine, all variations are made before the test gets to the button.
    page.evaluate(PRESS_CANCEL)
    page.get_by_role("button", name="Make New Variations").click()
    until(page, IDLE)
    assert page.locator(".variation").count() < 12
    assert not page.get_by_role("alert").is_visible()
