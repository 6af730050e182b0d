# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files as other programs write them, and damaged ones."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from bvh_files import FRAMES, poses, said_of, walker
from commands import run
from hypothesis import given
from hypothesis import strategies as st

from genmm_addon.core import InputError
from genmm_addon.core.motion import bvh_rate, read_bvh
from genmm_addon.files.import_file import import_file

pytestmark = pytest.mark.arrays


@pytest.fixture
def bvh(tmp_path: Path) -> Path:
    path = tmp_path / "walker.bvh"
    path.write_text(walker())
    return path


def with_value(word: str) -> str:
    """Return the walker's text with a word in place of the first value of its third frame."""
    lines = walker().splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("Frame Time"))
    row = lines[start + 3].split()
    row[3] = word
    lines[start + 3] = " ".join(row)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("word", ["nan", "inf", "-inf", "1e30", "-20000000", "1e999", "abc", "1.2.3", "1_0", "٣"])
def test_unusable_number_is_reported_with_its_line_and_joint(bvh: Path, word: str) -> None:
    bvh.write_text(with_value(word))
    line = walker().splitlines().index("Frame Time: 0.0333333") + 4
    said = said_of(bvh)
    assert f'"{word}"' in said and f"at line {line}" in said and 'joint "Hips"' in said


@pytest.mark.parametrize("word", ["nan", "inf", "1e30", "x"])
def test_unusable_offset_is_reported_with_its_line_and_joint(bvh: Path, word: str) -> None:
    bvh.write_text(walker().replace("JOINT Spine\n{\nOFFSET 0.1", f"JOINT Spine\n{{\nOFFSET {word}"))
    said = said_of(bvh)
    assert f'"{word}"' in said and "at line 8" in said and 'joint "Spine"' in said


def test_decimal_commas_are_named_wherever_they_stand(bvh: Path) -> None:
    for text in (with_value("0,5"), walker().replace(".", ","), walker(frame_time="0,0333333")):
        bvh.write_text(text)
        assert "decimal commas" in said_of(bvh) or "commas at line" in said_of(bvh)


def encoded(text: str, encoding: str, line_end: str) -> bytes:
    return text.replace("\n", line_end).encode(encoding)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("encoding", "line_end"),
    [
        ("utf-8-sig", "\n"),
        ("latin-1", "\n"),
        ("utf-8", "\r\n"),
        ("utf-8", "\r"),
        ("utf-16", "\r\n"),
        ("latin-1", "\r\n"),
    ],
)
def test_any_encoding_and_line_end_gives_the_same_character(bvh: Path, encoding: str, line_end: str) -> None:
    text = walker().replace("Spine", "Rücken")
    bvh.write_bytes(text.encode())
    plain = import_file(bvh, bpy.context)[0].armature
    expected = poses(plain)
    bvh.write_bytes(encoded(text, encoding, line_end))
    other = import_file(bvh, bpy.context)[0].armature
    assert [bone.name for bone in other.data.bones] == [bone.name for bone in plain.data.bones]
    assert "Rücken" in other.data.bones
    np.testing.assert_array_equal(poses(other), expected)
    assert other.animation_data.action.name.startswith("walker")


def test_braces_and_channels_stand_where_they_like(bvh: Path) -> None:
    expected = poses(import_file(bvh, bpy.context)[0].armature)
    text = walker().replace("\n{\nOFFSET", " {\n\tOFFSET").replace("MOTION\n", "MOTION\n\n")
    text = text.replace(f"Frames: {FRAMES}\nFrame Time: 0.0333333", f"Frame Time: 0.0333333\nframes:{FRAMES}")
    bvh.write_text(text)
    np.testing.assert_array_equal(poses(import_file(bvh, bpy.context)[0].armature), expected)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("ROOT Hips", "ROOT", "without a name"),
        ("OFFSET 0 1 0\n", "", "no OFFSET"),
        ("OFFSET 0 1 0\n", "OFFSET 0 1\n", "instead of a number"),
        ("CHANNELS 6", "CHANNELS 5", "channels at line 5"),
        ("CHANNELS 3 Zrotation Xrotation", "CHANNELS 2 Zrotation Xrotation", "channels at line 9"),
        ("CHANNELS 3 Zrotation Xrotation", "CHANNELS 3 Yrotation Xrotation", "channels at line 9"),
        ("CHANNELS 3 Zrotation", "CHANNELS 3 Wrotation", "channels at line 9"),
        ("}\nMOTION", "MOTION", "no closing brace"),
        ("}\nMOTION", "}\n}\nMOTION", '"}" at line'),
        ("JOINT Spine", "BONE Spine", '"BONE" at line 6'),
    ],
)
def test_a_broken_hierarchy_gets_a_sentence_that_names_the_place(bvh: Path, old: str, new: str, said: str) -> None:
    text = walker()
    assert old in text
    bvh.write_text(text.replace(old, new, 1))
    assert said in said_of(bvh)


def test_a_hierarchy_without_any_channel_is_refused(bvh: Path) -> None:
    bvh.write_text("HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0\n")
    assert "no joint with channels" in said_of(bvh)


@pytest.mark.parametrize("frame_time", ["0", "-0.0333333", "nan", "inf", "fast", ""])
def test_an_unusable_frame_time_is_noted_and_read_at_30(bvh: Path, frame_time: str) -> None:
    bvh.write_text(walker(frame_time=frame_time))
    character = import_file(bvh, bpy.context)[0]
    assert character.examples[0].frames_per_second == 30
    (note,) = character.notes
    assert "30 frames per second" in note and (f'"{frame_time}"' in note or not frame_time)


@pytest.mark.parametrize("frame_time", ["1e-30", "1e-400", "0.00001", "20000", "1e400"])
def test_a_frame_time_that_no_motion_has_is_refused_with_its_line(bvh: Path, frame_time: str) -> None:
    bvh.write_text(walker(frame_time=frame_time))
    said = said_of(bvh)
    assert f"a frame time of {frame_time} seconds" in said and "at line" in said


@given(st.sampled_from([24, 25, 30, 48, 50, 60, 72, 100, 120, 240, 24 / 1.001, 30 / 1.001]), st.integers(0, 12))
def test_zeros_behind_a_frame_time_do_not_change_its_rate(rate: float, zeros: int) -> None:
    for digits in (6, 7, 8):
        written = f"{1 / rate:.{digits}f}"
        assert bvh_rate(written + "0" * zeros, "x", 1)[0] == pytest.approx(rate, rel=1e-9)


@pytest.mark.parametrize("frame_time", ["0.033334", "0.03333400", "0.0333340000000", "3.3334e-2"])
def test_a_frame_time_a_digit_off_is_the_whole_rate(frame_time: str) -> None:
    assert bvh_rate(frame_time, "x", 1) == (30, ())


def test_the_command_says_a_frame_time_it_did_not_find(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    extension: None,
    bvh: Path,
) -> None:
    bvh.write_text(walker(frame_time="0"))
    said = run(capfd, "generate", bvh, "--frames", 20, "-o", tmp_path / "a.npz")
    assert said.status == 0 and "Note: " in said.told[0] and "30 frames per second" in said.told[0]
    said = run(capfd, "info", bvh)
    assert said.lines[-1].startswith("  Note: ") and "30 frames per second" in said.lines[-1]


def test_a_regular_file_is_read_as_it_stands(bvh: Path) -> None:
    assert read_bvh(bvh).cleaned is None


@given(st.text(max_size=60), st.integers(0, 900))
def test_arbitrarily_corrupted_file_is_read_or_rejected_with_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, thrown: str, place: int
) -> None:
    path = tmp_path_factory.mktemp("thrown") / "w.bvh"
    text = walker()
    path.write_bytes((text[:place] + thrown + text[place:]).encode("utf-8", "replace"))
    try:
        read_bvh(path)
    except InputError as refusal:
        assert str(refusal).endswith(".")
