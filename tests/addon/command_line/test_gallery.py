# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm gallery`: the page's content and size, and the favorites that `genmm gather --picked` writes."""

import base64
import hashlib
import html
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from commands import left_in, run, save, saved_character

from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.command_line.outputs.clip_records import clips_of
from genmm_addon.core import InputError, Motion, load_motion
from genmm_addon.core.motion import read_bvh_motion
from genmm_addon.pages.encoding import allowed, decoded, encoded
from genmm_addon.pages.figures import Figure, figure_in, figure_of, figure_values
from genmm_addon.pages.gallery_page import Example, Gallery, GalleryClip
from genmm_addon.pages.standing_alone import safe_json

Capture = pytest.CaptureFixture[str]
HOSTILE = "</script><script>alert(1)</script><!--\u2028\"'&<img src=x onerror=alert(2)>"


def data_in(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="page-data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    values: dict[str, Any] = json.loads(found[1])
    return values


def motions_in(page: str) -> list[str]:
    return re.findall(r'<script type="text/plain" id="motion-\d+">([A-Za-z0-9+/=]*)</script>', page)


def walk() -> Motion:
    return sample_motions(30.0)["GenMM Walk"]


def dance(frames: int, joints: int, seed: int, speed: float = 0.02) -> Figure:
    """Return a figure that moves about as fast as dancers do."""
    steps = np.random.default_rng(seed).normal(0, speed, (frames, joints, 3))
    smooth = np.stack([np.convolve(row, np.hanning(9) / 4)[:frames] for row in steps.reshape(frames, -1).T], axis=1)
    positions = smooth.cumsum(axis=0).reshape(frames, joints, 3).astype(np.float32)
    return Figure(30.0, positions, np.array([[0, joint] for joint in range(1, joints)]), np.full(joints - 1, 0.02))


def page_of(gallery: Gallery) -> str:
    return "".join(gallery.text())


@pytest.mark.parametrize(("frames", "joints"), [(1, 1), (2, 3), (300, 22)])
def test_positions_come_back_to_half_a_step_however_far_they_go(frames: int, joints: int) -> None:
    positions = dance(frames, joints, seed=1).positions + np.float32(50.0)
    found = encoded(positions)
    again = decoded(found.text, found.step, frames, joints)
    assert float(np.abs(again - positions).max()) <= found.step / 2 + 1e-5


def test_a_clip_takes_no_more_than_its_share_even_where_it_is_noise() -> None:
    noise = np.random.default_rng(2).normal(0, 1, (300, 22, 3))
    assert allowed(300, 22) == 20_000
    assert len(encoded(noise).text) <= 20_000 and encoded(noise).step > encoded(dance(300, 22, 1).positions).step


@pytest.mark.parametrize(
    "text", ["", "no base64", base64.b64encode(b"no zlib").decode(), encoded(np.ones((9, 9, 3))).text]
)
def test_motion_data_of_the_wrong_length_is_rejected(text: str) -> None:
    with pytest.raises(ValueError):
        decoded(text, 0.001, 4, 2)
    values = figure_values(figure_of(walk()))
    assert figure_in(values | {"motion": text}) is None and figure_in({}) is None and figure_in(None) is None
    assert figure_in(values | {"frames": 10**9}) is None and figure_in(values | {"limbs": [[0, 99]]}) is None


def test_figure_stands_on_the_ground_with_limbs_and_a_head_for_any_up_axis() -> None:
    figure = figure_of(walk())
    assert figure.head is not None and len(figure.limbs) > 8
    assert abs(float(np.percentile(figure.positions[..., 2].min(axis=1), 2))) < 1e-6
    assert 0.5 < float(np.ptp(figure.positions[0, :, 2])) < 1.2
    assert figure.radii.min() < 0.6 * figure.radii.max()
    turned = replace(walk().skeleton, up=(0.0, 1.0, 0.0))
    lying = figure_of(replace(walk(), skeleton=turned)).positions
    assert float(np.ptp(lying[0, :, 2])) < 0.5, "with another up it lies"


def test_figure_with_non_finite_values_is_rejected() -> None:
    spoiled = walk().rotations.copy()
    spoiled[3, 2] = np.nan
    with pytest.raises(InputError, match="not finite"):
        figure_of(replace(walk(), rotations=spoiled))


def test_the_page_keeps_its_size_and_is_the_same_byte_for_byte() -> None:
    def made(count: int) -> str:
        gallery = Gallery("Sizes")
        gallery.add_example(Example("walk", dance(400, 22, seed=99)))
        gallery.add_example(Example("too long for the page", dance(9000, 22, seed=98)))
        for seed in range(count):
            gallery.add(GalleryClip(f"{seed}.npz", f"{seed}.npz", seed=seed), dance(300, 22, seed))
        return page_of(gallery)

    few, more = made(1), made(21)
    assert len(few.encode()) < 200_000 + 20_000
    assert (len(more.encode()) - len(few.encode())) / 20 <= 20_000
    assert more == made(21)
    assert [one["frames"] > 0 for one in data_in(few)["examples"]] == [True, False]


def test_hostile_names_are_escaped_and_the_policy_allows_only_scripts_by_checksum() -> None:
    gallery = Gallery(HOSTILE)
    gallery.add_example(Example(HOSTILE, dance(20, 3, 0)))
    gallery.add(GalleryClip(HOSTILE, HOSTILE, HOSTILE, 1, HOSTILE), dance(20, 3, 0))
    page = page_of(gallery)
    assert data_in(page)["clips"][0]["name"] == data_in(page)["title"] == HOSTILE
    assert HOSTILE not in page and "<img" not in page and page.count("<!--") == 1
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert (len(scripts), len(styles)) == (1, 1)
    assert "\u2028" not in page.split("</title>")[1]
    policy = html.unescape(re.findall(r'Content-Security-Policy" content="(.*?)"', page)[0])
    for text, kind in ((scripts[0], "script"), (styles[0], "style")):
        checksum = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{checksum}'" in policy
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert not re.search(r"(src|href)=\"?(https?:)?//|@import|url\(", page), "nothing is fetched"
    assert safe_json("\u2029<>&") == '"\\u2029\\u003c\\u003e\\u0026"'


def test_diversity_is_that_of_each_clip_among_the_others() -> None:
    gallery, plain, other = Gallery("Diversity"), dance(60, 5, 1, 0.002), dance(60, 5, 2, 0.05)
    for number, figure in enumerate((plain, plain, plain, other, dance(60, 6, 3))):
        gallery.add(GalleryClip(str(number), f"{number}.npz"), figure)
    values = [clip["diversity"] for clip in data_in(page_of(gallery))["clips"]]
    assert values[0] == values[1] == values[2] < values[3] and values[4] is None


@pytest.mark.usefixtures("extension")
@pytest.mark.arrays
@pytest.mark.parametrize("ending", ["npz", "bvh", "fbx"])
def test_generate_makes_a_gallery_with_sources_measures_and_the_example(
    tmp_path: Path, capfd: Capture, ending: str
) -> None:
    hero, out = saved_character(tmp_path)[0], tmp_path / "out"
    words = ("generate", hero, "--frames", 40, "-o", out / f"{{name}}_{{seed}}.{ending}", "--seeds", "0-2")
    said = run(capfd, *words, "--gallery")
    assert said.status == 0, said.errors
    assert left_in(out) == {*(f"hero_{seed}.{ending}" for seed in range(3)), "gallery.html"}
    page = (out / "gallery.html").read_text(encoding="utf-8")
    data = data_in(page)
    assert [clip["seed"] for clip in data["clips"]] == [0, 1, 2]
    for clip in data["clips"]:
        assert clip["frames"] == 40 and clip["source"] == "hero" and 0 < clip["coverage"] <= 1
        assert isinstance(clip["cuts"], list) and clip["diversity"] is not None
        assert clip["through"] is None, "five bones are no body to go through"
        assert sum(row[1] for row in clip["parts"][0][1]) == 40
        assert data["examples"][clip["examples"][0][0]]["frames"] > 0
    assert len(motions_in(page)) == 4
    assert run(capfd, "gallery", out).status == 0
    assert (out / "gallery.html").read_text(encoding="utf-8") == page, "it is written anew from what lies there"
    if ending == "npz":
        shown = data["clips"][0]
        motion = figure_of(load_motion(out / "hero_0.npz")).positions
        there = decoded(motions_in(page)[shown["motion"]], shown["step"], 40, motion.shape[1])
        assert float(np.abs(there - motion).max()) < shown["step"]
        (out / "hero_0.npz").write_bytes((out / "hero_1.npz").read_bytes())
        assert run(capfd, "gallery", out).status == 0
        changed = data_in((out / "gallery.html").read_text(encoding="utf-8"))["clips"]
        assert changed[0]["seed"] == 1 and changed[0]["coverage"] is None, (
            "what was measured of another file is not said"
        )


@pytest.mark.usefixtures("extension")
@pytest.mark.arrays
def test_results_without_records_are_shown_with_the_details_in_their_files(tmp_path: Path, capfd: Capture) -> None:
    hero, out = saved_character(tmp_path)[0], tmp_path / "out"
    for pattern in ("{seed}.npz", "deeper/{seed}.bvh", "all.blend"):
        assert run(capfd, "generate", hero, "--frames", 30, "-o", out / pattern, "--seeds", "3-4").status == 0
    assert not list(out.rglob("*.clips.json")), "without --measure nothing is added"
    (out / "broken.bvh").write_text("HIERARCHY\n")
    (out / "cut.npz").write_bytes((out / "3.npz").read_bytes()[:-100])
    said = run(capfd, "gallery", out, "--output", tmp_path / "page.html", "--title", "All")
    assert said.status == 2 and len(said.errors) == 2
    for name, error in zip(("broken.bvh", "cut.npz"), said.errors, strict=True):
        assert name in error and "was skipped" in error
    clips = data_in((tmp_path / "page.html").read_text(encoding="utf-8"))["clips"]
    assert [clip["file"] for clip in clips] == [
        "3.npz",
        "4.npz",
        "all.blend",
        "all.blend",
        "deeper/3.bvh",
        "deeper/4.bvh",
    ]
    assert [clip["seed"] for clip in clips] == [3, 4, 3, 4, None, None]
    assert all(clip["parts"] for clip in clips[:4]) and clips[2]["cuts"] is not None
    assert clips[2]["character"] != clips[3]["character"]


@pytest.mark.usefixtures("extension")
def test_a_page_that_is_not_ours_and_a_folder_without_motion_are_left_alone(tmp_path: Path, capfd: Capture) -> None:
    said = run(capfd, "gallery", tmp_path)
    assert said.status == 2 and "contains no motion" in said.errors[0]
    assert run(capfd, "gallery", tmp_path / "nowhere").errors == [
        f'There is no folder "{tmp_path / "nowhere"}"; check its name.'
    ]
    (tmp_path / "gallery.html").write_text("<p>mine</p>")
    said = run(capfd, "gallery", tmp_path)
    assert said.status == 2 and said.errors[0].endswith("is not a gallery; choose another --output.")
    assert (tmp_path / "gallery.html").read_text() == "<p>mine</p>"


def favorites(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "favorites.json"
    motions = [{"name": row["file"], "character": "", "seed": None} | row for row in rows]
    path.write_text(json.dumps({"genmm": "favorites", "version": 1, "motions": motions}))
    return path


@pytest.mark.usefixtures("extension")
@pytest.mark.arrays
def test_favorites_are_copied_or_converted(tmp_path: Path, capfd: Capture) -> None:
    add_sample_character(bpy.context)
    hero, out = save(tmp_path, "hero"), tmp_path / "out"
    for pattern in ("w_{seed}.npz", "w_{seed}.bvh"):
        assert run(capfd, "generate", hero, "--frames", 30, "-o", out / pattern, "--seeds", "0-1").status == 0
    picked = favorites(out, {"file": "w_1.npz", "seed": 1}, {"file": "w_0.bvh"})
    for ending in ("npz", "bvh", "glb", "fbx"):
        said = run(capfd, "gather", "--picked", picked, "--output", tmp_path / "best" / f"{{name}}.{ending}")
        assert said.status == 0 and said.lines[-1] == "2 favorites written.", said.errors
    best = tmp_path / "best"
    assert left_in(best) == {f"w_{name}.{ending}" for name in "01" for ending in ("npz", "bvh", "glb", "fbx")}
    assert (best / "w_1.npz").read_bytes() == (out / "w_1.npz").read_bytes()
    assert (best / "w_0.bvh").read_bytes() == (out / "w_0.bvh").read_bytes()
    made, was = (figure_of(one).positions for one in (_motion(best / "w_1.bvh"), load_motion(out / "w_1.npz")))
    heights = [positions[..., 2].max(axis=1) - positions[..., 2].min(axis=1) for positions in (made, was)]
    assert made.shape[0] == was.shape[0] == 30
    assert float(np.abs(heights[0] / heights[0].mean() - heights[1] / heights[1].mean()).max()) < 0.02
    assert run(capfd, "gather", "--picked", picked, "--output", best / "{name}.fbx").errors == [
        f'"{best / "w_1.fbx"}" already exists; choose another --output.'
    ]


def _motion(path: Path) -> Motion:
    return read_bvh_motion(path, path.read_bytes()).motion


@pytest.mark.usefixtures("extension")
def test_a_list_that_leads_elsewhere_is_refused_and_nothing_is_written(tmp_path: Path, capfd: Capture) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (tmp_path / "secret.npz").write_bytes(b"1")
    shutil.copy(Path(__file__), out / "1.bvh")
    best = tmp_path / "best" / "{name}.npz"

    def refusal(*rows: dict[str, Any], output: Path = best) -> str:
        said = run(capfd, "gather", out, "--picked", favorites(tmp_path, *rows), "--output", output)
        assert said.status == 2 and not (tmp_path / "best").exists()
        return said.errors[0]

    assert 'refers to "../secret.npz", which is not a motion in' in refusal({"file": "../secret.npz"})
    assert "is not a motion in" in refusal({"file": str(tmp_path / "secret.npz")})
    assert 'contains no motion "2.bvh"' in refusal({"file": "2.bvh"})
    assert "contains no favorites" in refusal()
    assert "for two favorites" in refusal({"file": "1.bvh"}, {"file": "1.bvh", "seed": 1})
    assert "some favorites have no seed" in refusal({"file": "1.bvh"}, output=tmp_path / "best" / "{seed}.npz")
    assert (
        "is not a list of favorites" in run(capfd, "gather", out, "--picked", out / "1.bvh", "--output", best).errors[0]
    )
    nowhere = run(capfd, "gather", out, "--picked", out / "2.json", "--output", best)
    assert nowhere.errors == [f'There is no file "{out / "2.json"}"; check its name and folder.']
    assert run(capfd, "gather", out).errors == [
        "gather needs a folder, --pattern and --seeds, or --picked with the favorites of a gallery."
    ]


def test_clip_records_are_stored_beside_the_generation_records(tmp_path: Path) -> None:
    assert clips_of(tmp_path / "a.fbx").parent == tmp_path / ".genmm"
