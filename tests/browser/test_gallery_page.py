# SPDX-License-Identifier: GPL-3.0-or-later
"""The gallery in a real browser: figures move, clips can be chosen, and hostile names do not run code."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chromium import SCREENSHOTS, nameless, opened_browser, until, watched_page
from playwright.sync_api import Browser, Page

from genmm_addon.pages.figures import Figure
from genmm_addon.pages.gallery_page import ClipPart, Example, Gallery, GalleryClip, GalleryExample

HOSTILE = "</script><script>window.hacked = 1</script><!--\u2028<img src=x onerror='window.hacked = 2'>\"'`${1}"
CLIPS = 120
COUNT = "#count"
CHANGED = "before => document.querySelector('.clip canvas').toDataURL() !== before"


def walker(frames: int, seed: int) -> Figure:
    """Return a figure with a trunk, a head, and swinging arms and legs."""
    time = np.arange(frames)[:, None] / 30
    swing = 0.12 * np.sin(2 * np.pi * time * (1 + 0.1 * (seed % 7)) + np.array([0.0, np.pi]))
    positions = np.zeros((frames, 7, 3), np.float32)
    positions[:, :, 0] = 0.4 * time
    positions[:, 0, 2], positions[:, 1, 2], positions[:, 2, 2] = 0.5, 0.8, 0.92
    for number, (joints, height) in enumerate((((3, 4), 0.45), ((5, 6), 0.02))):
        for side, joint in enumerate(joints):
            positions[:, joint, 1] = 0.12 * (1 - 2 * side)
            positions[:, joint, 2] = height
            positions[:, joint, 0] += swing[:, (side + number) % 2]
    limbs = np.array([[0, 1], [1, 2], [1, 3], [1, 4], [0, 5], [0, 6]])
    return Figure(30.0, positions, limbs, np.array([0.05, 0.03, 0.02, 0.02, 0.03, 0.03]), (2, 1))


def gallery_of(title: str, count: int, name: str = "walk_{:03}.npz") -> Gallery:
    gallery = Gallery(title)
    example = gallery.add_example(Example(f"{title} walk", walker(200, 3)))
    other = gallery.add_example(Example("unknown"))
    for seed in range(count):
        rows = ((0, 40, 0, 20), (40, 50, int(seed % 5 == 0), 0))
        clip = GalleryClip(
            name=name.format(seed),
            file=name.format(seed),
            seed=seed,
            source=title,
            examples=(GalleryExample(example, 1.0, 200), *((GalleryExample(other),) if seed % 5 == 0 else ())),
            parts=(ClipPart("Body", rows),),
            coverage=(seed * 37 % 101) / 100,
            skate=float(seed * 13 % 17) if seed else None,
            visible_transitions=(40,) if seed % 2 else (),
            frames_through_body=12 if seed == 7 else 0,
        )
        gallery.add(clip, walker(90, seed))
    return gallery


def reopen_until_shown(page: Page, ending: str) -> None:
    """Open the page again until its count ends so: Chromium may hand stored values on after a page has opened."""
    for _ in range(5):
        page.reload()
        until(page, "window.gallery !== undefined")
        if page.inner_text(COUNT).endswith(ending):
            return
        page.wait_for_timeout(1000)
    raise AssertionError(page.inner_text(COUNT))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with opened_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gallery") / "gallery.html"
    path.write_text("".join(gallery_of("Walks", CLIPS).text()), encoding="utf-8")
    return path


@pytest.fixture
def seen(browser: Browser) -> Iterator[Page]:
    """Yield the gallery opened from a file, which may request nothing else."""
    with watched_page(browser, ("file:", "blob:")) as page:
        yield page


@pytest.fixture
def page(seen: Page, file: Path) -> Page:
    seen.goto(file.as_uri())
    until(seen, "window.gallery?.motions.found.size > 0")
    return seen


def names(page: Page) -> list[str]:
    """Return the names of the listed clips, in their order."""
    listed: list[str] = page.locator(".clip:not([hidden]) .name").all_inner_texts()
    return listed


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.closest('.clip')?.querySelector('.name').textContent ?? ''"))


def picture(page: Page) -> str:
    """Return the pixels of the first clip's figure."""
    return str(page.evaluate("document.querySelector('.clip canvas').toDataURL()"))


def test_figures_move_and_only_those_near_the_screen_are_drawn(page: Page) -> None:
    assert page.inner_text(COUNT) == f"{CLIPS} of {CLIPS} motions, 0 favorites"
    first = picture(page)
    until(page, CHANGED, first)
    canvases = page.locator(".clip canvas").count()
    assert 10 <= canvases < CLIPS / 2
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Pause").click()
    still = picture(page)
    page.wait_for_timeout(150)
    assert picture(page) == still
    page.keyboard.press("d")
    until(page, CHANGED, still)
    turned = picture(page)
    box = page.locator(".clip").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 60, box["y"] + 80)
    page.mouse.down()
    page.mouse.move(box["x"] + 140, box["y"] + 90, steps=4)
    page.mouse.up()
    until(page, CHANGED, turned)
    assert page.get_by_role("dialog").count() == 0, "a drag opens nothing"
    page.locator(".clip").last.scroll_into_view_if_needed()
    until(page, "document.querySelector('.clip:last-child canvas') !== null")
    assert page.locator(".clip canvas").count() < CLIPS / 2
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / "gallery.png")


def test_clips_are_sorted_and_filtered_by_measures_seed_and_source(page: Page) -> None:
    page.get_by_label("Sort by").select_option("coverage")
    page.get_by_role("button", name="Descending").click()
    assert names(page)[0] == "walk_030.npz", "37 times 30 is 100 beyond a multiple of 101"
    page.get_by_label("Sort by").select_option("skate")
    assert names(page)[-1] == "walk_000.npz", "what was not measured comes last"
    page.get_by_label("Sort by").select_option("through")
    assert names(page)[0] == "walk_007.npz"
    texts = page.locator(".clip").all_inner_texts()
    assert [text.split()[0] for text in texts if "through body" in text] == ["walk_007.npz"]
    page.get_by_label("Sort by").select_option("skate")
    page.get_by_label("Coverage from").fill("50")
    page.get_by_label("Cuts that may show to").fill("0")
    page.get_by_label("Seeds").fill("0-20, 44")
    page.locator("#source").select_option("unknown")
    wanted = [seed for seed in (*range(21), 44) if seed * 37 % 101 >= 50 and seed % 2 == 0 and seed % 5 == 0]
    assert sorted(names(page)) == [f"walk_{seed:03}.npz" for seed in wanted] and wanted
    page.get_by_label("Seeds").fill("900")
    assert page.get_by_text("No motion is like this").is_visible() and page.inner_text(COUNT).startswith("0 of")
    page.get_by_role("button", name="Reset").click()
    until(page, "document.querySelectorAll('.clip:not([hidden])').length === 120")
    assert names(page) == [f"walk_{seed:03}.npz" for seed in range(CLIPS)]


def test_favorites_by_click_and_key_are_kept_and_saved_as_a_file(page: Page) -> None:
    assert page.get_by_role("button", name="Save Favorites").is_disabled()
    page.get_by_role("button", name="Favorite: walk_002.npz").click()
    page.locator(".clip .open").nth(2).focus()
    for key in ("ArrowRight", "ArrowRight", "f", "ArrowDown", "f", "f"):
        page.keyboard.press(key)
    assert page.inner_text(COUNT).endswith("2 favorites")
    reopen_until_shown(page, "2 favorites")
    page.get_by_label("Favorites only").check()
    assert names(page) == ["walk_002.npz", "walk_004.npz"]
    with page.expect_download() as download:
        page.get_by_role("button", name="Save Favorites").click()
    assert download.value.suggested_filename == "favorites.json"
    values: dict[str, Any] = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert (values["genmm"], values["version"]) == ("favorites", 1)
    assert values["motions"][1] == {"name": "walk_004.npz", "file": "walk_004.npz", "character": "", "seed": 4}


def test_a_clip_is_looked_at_beside_its_example_with_the_keyboard_alone(page: Page) -> None:
    page.locator("#theme").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert focused(page) == "walk_000.npz"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="walk_001.npz")
    assert dialog.is_visible()
    assert dialog.get_by_text("One cut may show, at frame 40.").is_visible()
    until(page, "window.gallery.motions.found.size > 2")
    slider = dialog.get_by_label("Frame", exact=True)
    slider.fill("30")
    until(page, "document.getElementById('viewer-frame').getAttribute('aria-valuetext').includes('frame 50')")
    assert slider.get_attribute("aria-valuetext") == "frame 30, from Walks walk, frame 50"
    assert dialog.get_by_text("Example: Walks walk, frame 50").is_visible()
    page.keyboard.press(".")
    until(page, "document.getElementById('viewer-at').textContent === '31 of 89'")
    before, after = (
        page.evaluate(f"document.getElementById('viewer-{one}').toDataURL()") for one in ("result", "example")
    )
    assert before != after and len(after) > 4000
    page.screenshot(path=SCREENSHOTS / "gallery-viewer.png")
    page.keyboard.press("Escape")
    assert not dialog.is_visible() and focused(page) == "walk_001.npz"


def test_everything_that_can_be_pressed_has_a_name(page: Page) -> None:
    assert nameless(page) == []
    assert page.locator(".clip .open").first.get_attribute("aria-label") == (
        "walk_000.npz, 3.0 seconds, seed 0, from Walks, Walks walk, unknown, Coverage 0 %, Diversity "
        f"{page.evaluate('gallery.clips[0].diversity.toFixed(2)')}, Cuts that may show 0, Frames through the body 0"
    )


def test_light_and_dark_follow_the_system_and_the_button(page: Page) -> None:
    color = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(color)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(color)
    assert light != dark
    page.get_by_role("button", name="Light").click()
    assert page.evaluate(color) == light
    page.reload()
    assert page.evaluate(color) == light, "the choice is kept"


def test_hostile_names_are_shown_without_running(seen: Page, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    path.write_text("".join(gallery_of(HOSTILE, 3, HOSTILE.replace("${1}", "") + "{}.npz").text()), encoding="utf-8")
    seen.goto(path.as_uri())
    until(seen, "window.gallery?.motions.found.size > 0")
    assert seen.locator("h1").inner_text().startswith("</script><script>window.hacked")
    seen.locator(".clip .open").first.click()
    assert seen.get_by_role("dialog").is_visible()
    assert seen.locator("img").count() == 0
    assert seen.evaluate("window.hacked") is None


def test_foreign_script_in_the_page_is_not_run(browser: Browser, file: Path, tmp_path: Path) -> None:
    path = tmp_path / "changed.html"
    text = file.read_text(encoding="utf-8")
    path.write_text(text.replace("</main>", "<script>window.hacked = 3</script></main>", 1), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    until(page, "window.gallery !== undefined")
    assert page.evaluate("window.hacked") is None
    page.close()
