# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files read without Blender: the motion equals that of Blender's importer, and so do the refusals."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from rigs import cases_of, motion_files

from genmm_addon.animation.reading.examples import read_examples
from genmm_addon.core import InputError
from genmm_addon.core.motion import read_bvh_motion
from genmm_addon.files.import_file import import_file

HEADER = """HIERARCHY
ROOT a b
{
 OFFSET 0 1 0
 CHANNELS 6 Xposition Yposition Zposition Yrotation Xrotation Zrotation
 JOINT arm
 {
  OFFSET 0 1 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  End Site
  {
   OFFSET 0 1 0
  }
 }
 JOINT arm
 {
  OFFSET 1 0 0
  CHANNELS 4 Xposition Zrotation Xrotation Yrotation
  End Site
  {
   OFFSET 0 1 0
  }
 }
}
MOTION
"""
ROWS = ["0 1 0 10 20 30 40 50 60 1 5 6 7", "1 1 2 20 30 40 50 60 70 2 8 9 10", "2 1 2 0 0 0 50 60 70 2 8 9 10"]


def written(folder: Path, rows: list[str]) -> Path:
    path = folder / "clip.bvh"
    path.write_text(HEADER + f"Frames: {len(rows)}\nFrame Time: 0.04\n" + "\n".join(rows) + "\n")
    return path


def assert_same_as_imported(path: Path) -> None:
    own = read_bvh_motion(path)
    character = import_file(path, bpy.context)[0]
    there = read_examples(character.armature, character.examples, scene=bpy.context.scene, visual=False).motions[0]
    assert own.motion.frames_per_second == there.frames_per_second and own.motion.frames == there.frames
    names = list(own.motion.skeleton.names)
    assert set(there.skeleton.names) == set(names)
    order = [names.index(name) for name in there.skeleton.names]
    positions, expected = own.motion.pose()[1][:, order], there.pose()[1]
    np.testing.assert_allclose(positions, expected, atol=2e-4 * max(own.motion.skeleton.size, np.abs(expected).max()))


@pytest.mark.usefixtures("extension")
@pytest.mark.parametrize("path", cases_of(motion_files((".bvh",))))
def test_real_files_move_as_when_blender_imports_them(path: Path) -> None:
    assert_same_as_imported(path)


@pytest.mark.usefixtures("extension")
def test_any_order_of_channels_and_names_that_come_twice_are_read_as_blender_reads_them(tmp_path: Path) -> None:
    path = written(tmp_path, ROWS)
    assert_same_as_imported(path)
    found = read_bvh_motion(path)
    assert found.motion.skeleton.names == ("a_b", "arm", "arm.001")
    assert found.motion.frames_per_second == 25


def test_a_joint_that_keeps_its_place_has_no_translations(tmp_path: Path) -> None:
    still = [row.replace(" 2 8 9 10", " 1 8 9 10") for row in ROWS]
    assert read_bvh_motion(written(tmp_path, still)).motion.translated.tolist() == [0]
    assert read_bvh_motion(written(tmp_path, ROWS)).motion.translated.tolist() == [0, 2]


@pytest.mark.parametrize("word", ["nan", "inf", "1e9", "x", "1,5", "0x10", ""])
def test_unusable_number_is_reported_with_the_file_name(tmp_path: Path, word: str) -> None:
    with pytest.raises(InputError, match=r'"clip\.bvh"'):
        read_bvh_motion(written(tmp_path, [ROWS[0], ROWS[1].replace("60", word)]))


def test_values_of_one_row_never_slip_into_the_next(tmp_path: Path) -> None:
    rows = [ROWS[0] + " 99", ROWS[1].rpartition(" ")[0], ROWS[2]]
    with pytest.raises(InputError, match="frame 2 has 12 of 13 values"):
        read_bvh_motion(written(tmp_path, rows))
    extra = read_bvh_motion(written(tmp_path, [row + " 99" for row in ROWS])).motion
    assert np.array_equal(extra.rotations, read_bvh_motion(written(tmp_path, ROWS)).motion.rotations)
