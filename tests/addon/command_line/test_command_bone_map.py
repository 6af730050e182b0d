# SPDX-License-Identifier: GPL-3.0-or-later
"""A map of bones given to a command, for examples whose bones have names that say nothing."""

from pathlib import Path

import numpy as np
import pytest
from bvh_files import walker
from commands import Said, run

from genmm_addon.core.transfer import BoneMap, write_bone_map

pytestmark = pytest.mark.usefixtures("extension")
Capture = pytest.CaptureFixture[str]
NAMES = {"Hips": "x1", "Spine": "x2", "Head": "x3", "LeftLeg": "x4", "LeftFoot": "x5"}


@pytest.fixture
def clips(tmp_path: Path) -> tuple[Path, Path]:
    """Return two files of like bodies, of which the second has other names and a longer neck."""
    text = walker()
    for name, other in NAMES.items():
        text = text.replace(f"{'ROOT' if name == 'Hips' else 'JOINT'} {name}\n", f"JOINT {other}\n")
    paths = tmp_path / "walker.bvh", tmp_path / "other.bvh"
    paths[0].write_text(walker())
    paths[1].write_text(text.replace("JOINT x1", "ROOT x1").replace("OFFSET 0 1.0 0", "OFFSET 0 1.3 0"))
    return paths


def generated(capture: Capture, clips: tuple[Path, Path], *words: object) -> Said:
    output = clips[0].with_name("both.npz")
    return run(capture, "generate", *clips, "--together", "--frames", 80, "-o", output, *words)


@pytest.mark.parametrize("is_inverted", [False, True])
def test_a_map_brings_a_skeleton_whose_names_say_nothing(
    tmp_path: Path, capfd: Capture, clips: tuple[Path, Path], is_inverted: bool
) -> None:
    without = generated(capfd, clips)
    assert without.status == 2, without
    bone_map = BoneMap(tuple((other, name) for name, other in NAMES.items()))
    write_bone_map(tmp_path / "map.json", bone_map.inverted() if is_inverted else bone_map)
    said = generated(capfd, clips, "--map", tmp_path / "map.json")
    assert (said.status, said.errors) == (0, [])
    with np.load(tmp_path / "both.npz") as arrays:
        assert set(np.unique(arrays["source_examples"])) == {0, 1}


def test_maps_that_do_not_fit_are_refused_in_one_sentence(
    tmp_path: Path, capfd: Capture, clips: tuple[Path, Path]
) -> None:
    path = tmp_path / "map.json"
    write_bone_map(path, BoneMap((("a", "b"), ("c", "d"))))
    for words, reason in (
        (("--map", path), "is of another skeleton"),
        (("--map", tmp_path / "none.json"), "cannot be read"),
        (("--map", clips[0]), "not readable as JSON"),
    ):
        said = generated(capfd, clips, *words)
        assert said.status == 2 and len(said.errors) == 1 and reason in said.errors[0], said
    said = run(capfd, "generate", clips[0], "--map", path, "-o", tmp_path / "both.npz")
    assert said.status == 2 and "--together or --library" in said.errors[0]
    assert not (tmp_path / "both.npz").exists()
