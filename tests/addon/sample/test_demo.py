# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo: the files that it saves, and the content of its picture."""

import io
import re
from itertools import pairwise
from pathlib import Path

import bpy
import numpy as np
import pytest
from PIL import Image, ImageSequence
from rigs import MOTIONS

from bench.pictures import contact_sheet, moving_picture
from bench.pictures.demo import VARIATIONS, Demo
from genmm_addon.animation.signals.beat_markers import beats_of
from genmm_addon.animation.signals.sound import strip_names
from genmm_addon.core import InputError

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def small_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contact_sheet, "PIXELS", 240)
    monkeypatch.setattr(contact_sheet, "COLUMNS", 4)
    monkeypatch.setattr(moving_picture, "PIXELS", 180)
    monkeypatch.setattr(moving_picture, "RATE", 3.0)


def rigs() -> list[bpy.types.Object]:
    return [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]


def test_the_sample_character_and_five_variations_are_saved_and_shown(tmp_path: Path) -> None:
    console = io.StringIO()
    Demo(tmp_path, console).run(None)
    for name in ("demo.blend", "demo.png", "demo.webp"):
        assert (tmp_path / name).is_file()
        assert str(tmp_path / name) in console.getvalue()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "demo.blend"))
    assert len(rigs()) == 1 + VARIATIONS
    assert not bpy.data.cameras, "the picture's own things stay out of the file"

    image = bpy.data.images.load(str(tmp_path / "demo.png"))
    pixels = np.array(image.pixels).reshape(image.size[1], image.size[0], -1)
    drawn = np.abs(pixels[..., :3] - pixels[0, 0, :3]).max(axis=-1) > 0.1
    for row in np.array_split(drawn, 1 + VARIATIONS):
        assert row.any(axis=0).mean() > 0.2, "every motion has its poses in the picture"

    with Image.open(tmp_path / "demo.webp") as moving:
        shown = [np.asarray(picture.convert("L"), int) for picture in ImageSequence.Iterator(moving)]
    assert len(shown) >= 10, "the picture moves"
    assert all(np.abs(one - other).max() > 50 for one, other in pairwise(shown)), "in each step something moves"


@pytest.mark.slow
def test_the_dance_follows_drums_whose_tempo_changes(tmp_path: Path) -> None:
    console = io.StringIO()
    Demo(tmp_path, console).run(None, on_beat=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "demo.blend"))
    distances = np.diff(sorted(beats_of(bpy.context.scene)))
    assert distances[: len(distances) // 2].mean() > 1.1 * distances[len(distances) // 2 :].mean()
    assert strip_names(bpy.context.scene) == (["Drums"] if bpy.app.build_options.audaspace else [])
    told = re.findall(r"Variation \d: (\d+) of (\d+) beats", console.getvalue())
    assert len(told) == VARIATIONS
    assert sum(int(hit) for hit, _ in told) >= 0.5 * sum(int(beats) for _, beats in told)


@pytest.mark.skipif(not MOTIONS.is_dir(), reason="needs the shared motions")
def test_example_of_another_rate_plays_at_its_speed_beside_its_variations(tmp_path: Path) -> None:
    Demo(tmp_path, io.StringIO()).run(MOTIONS / "bvh" / "cmu_02_01_walk_120fps.bvh")
    source = next(rig for rig in rigs() if rig.name == "cmu_02_01_walk_120fps")
    (strip,) = (strip for track in source.animation_data.nla_tracks for strip in track.strips)
    assert source.animation_data.action is None, "an active action would hide the strip"
    assert strip.frame_end - strip.frame_start == pytest.approx(342 / 4)


def test_unusable_file_stops_the_demo_with_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        Demo(tmp_path, io.StringIO()).run(tmp_path / "nothing.bvh")
