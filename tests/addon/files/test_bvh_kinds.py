# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files that other programs write otherwise than most: they are read like the same motion written as usual."""

import re
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from bvh_files import FRAMES, poses, said_of, walker
from rigs import MOTIONS
from test_bvh_motion import assert_same_as_imported

from genmm_addon.core import InputError, Motion
from genmm_addon.core.motion import BvhMotion, read_bvh, read_bvh_motion
from genmm_addon.files.import_file import import_file

REPORTED = MOTIONS / "reported"
Change = Callable[[str], str]


@pytest.fixture
def bvh(tmp_path: Path) -> Path:
    path = tmp_path / "walker.bvh"
    path.write_text(walker())
    return path


def split(text: str) -> tuple[str, list[str]]:
    """Return a file's text up to its frames, and the lines of these."""
    head, time, rows = re.split(r"(Frame Time: .*\n)", text)
    return head + time, rows.splitlines()


def relaid(lay: Callable[[list[str]], str]) -> Change:
    """Return a change of the lines of the frames."""

    def change(text: str) -> str:
        head, rows = split(text)
        return head + lay(rows)

    return change


def wrapped(words: int) -> Callable[[list[str]], str]:
    """Return a layout with as many words on a line, whatever the frames."""

    def lay(rows: list[str]) -> str:
        every = " ".join(rows).split()
        return "\n".join(" ".join(every[start : start + words]) for start in range(0, len(every), words))

    return lay


def with_channels(old: str, new: str, values: str, *, column: int) -> Change:
    """Return a change of the channels of one joint, with further values at a column of each frame."""

    def change(text: str) -> str:
        assert old in text
        head, rows = split(text.replace(old, new, 1))
        words = [row.split() for row in rows]
        return head + "\n".join(" ".join([*row[:column], *values.split(), *row[column:]]) for row in words) + "\n"

    return change


def replaced(old: str, new: str) -> Change:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return change


_WORDS = re.compile("HIERARCHY|ROOT|JOINT|MOTION|CHANNELS.*|OFFSET|End Site|Frames|Frame Time")
ROOT_CHANNELS = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
SCALED = ROOT_CHANNELS.replace("6", "9") + " Xscale Yscale Zscale"
SPINE_CHANNELS = "CHANNELS 3 Zrotation Xrotation Yrotation"
SAME: dict[str, Change] = {
    "no space before a minus": lambda text: re.sub(r" (?=-\d)", "", text),
    "a plus": replaced(" 0 0 0 0 ", "+0 +0 0 0 "),
    "text after the last frame": lambda text: text + "\nThe End, 2020-01-01\n",
    "a frame begun and text": lambda text: text + "0 1 2 end\n",
    "zero bytes at the end": lambda text: text + "\0" * 700,
    "the mark of an end of file": lambda text: text + "\x1a",
    "no line end at the end": lambda text: text.rstrip("\n"),
    "blank lines": relaid(lambda rows: "\n\n  \n".join(rows) + "\n\n\n"),
    "frames on three lines": relaid(lambda rows: "\n".join(re.sub(r"((?:\S+ ){7})", r"\1\n", row) for row in rows)),
    "ten numbers on a line": relaid(wrapped(10)),
    "a number on a line": relaid(wrapped(1)),
    "two frames on a line": relaid(wrapped(36)),
    "all frames on one line": relaid(" ".join),
    "frames after the frame time": lambda text: re.sub(r"(Frame Time: \S+)\n", r"\1 ", text),
    "tabs": lambda text: text.replace(" ", "\t").replace("End\tSite", "End Site"),
    "CR line ends": lambda text: text.replace("\n", "\r"),
    "mixed line ends": lambda text: text.replace("\n", "\r\n", 20).replace("}\n", "}\r"),
    "lower-case words": lambda text: _WORDS.sub(lambda found: found[0].lower(), text),
    "upper-case words": lambda text: _WORDS.sub(lambda found: found[0].upper(), text),
    "comments": lambda text: "# by hand\n; and more\n" + text.replace("MOTION\n", "// now\nMOTION\n# here\n"),
    "comments behind": lambda text: re.sub("(OFFSET.*)", r"\1 # in meters", text) + "# the end\n",
    "End_Site": replaced("End Site", "End_Site"),
    "EndSite": replaced("End Site", "endsite"),
    "exponents": relaid(lambda rows: re.sub(r"\S+", lambda word: f"{float(word[0]):.12E}", "\n".join(rows))),
    "no count of frames": lambda text: re.sub(r"Frames: .*\n", "", text),
    "an empty count of frames": replaced(f"Frames: {FRAMES}", "Frames:"),
    "no colons": lambda text: text.replace("Frames:", "Frames").replace("Time:", "Time"),
    "FrameTime": replaced("Frame Time", "FrameTime"),
    "scales of one": with_channels(ROOT_CHANNELS, SCALED, "1 1.0 1", column=6),
    "a scale before": with_channels(ROOT_CHANNELS, ROOT_CHANNELS.replace("6", "7 Xscale"), "1", column=0),
}  # fmt: skip


def motion_of(path: Path) -> Motion:
    return read_bvh_motion(path).motion


def assert_same(found: Motion, expected: Motion) -> None:
    assert found.skeleton.names == expected.skeleton.names and found.frames == expected.frames
    assert found.frames_per_second == expected.frames_per_second
    np.testing.assert_allclose(found.pose()[1], expected.pose()[1], atol=1e-5)
    np.testing.assert_allclose(found.rotations, expected.rotations, atol=1e-6)


@pytest.mark.parametrize("kind", SAME)
def test_other_ways_to_write_a_motion_give_the_same(bvh: Path, kind: str) -> None:
    expected, there = motion_of(bvh), poses(import_file(bvh, bpy.context)[0].armature)
    bvh.write_text(SAME[kind](walker()), newline="")
    assert_same(motion_of(bvh), expected)
    np.testing.assert_allclose(poses(import_file(bvh, bpy.context)[0].armature), there, atol=1e-5)


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-8", "ボーン"),
        ("cp932", "ボーン"),  # its second byte is an opening brace
        ("cp932", "ミマソ"),
        ("utf-8-sig", "背骨"),
        ("utf-16-le", "Rücken"),
        ("utf-16-be", "Rücken"),
        ("latin-1", "Rücken"),
    ],
)
def test_names_of_any_encoding_are_read(bvh: Path, encoding: str, name: str) -> None:
    bvh.write_bytes(walker().replace("Spine", name).encode(encoding))
    assert motion_of(bvh).skeleton.names[1] == name
    assert import_file(bvh, bpy.context)[0].armature.data.bones[1].name == name


@pytest.mark.parametrize("path", sorted(REPORTED.glob("*.bvh")), ids=lambda path: path.stem)
def test_files_of_reports_are_read_as_when_blender_imports_them(path: Path) -> None:
    assert_same_as_imported(path)
    found = motion_of(path)
    assert found.frames == 100 and found.frames_per_second == 30
    assert_proportions(found, motion_of(REPORTED / "comment.bvh"))


def assert_proportions(found: Motion, expected: Motion) -> None:
    reach = [np.linalg.norm(one.pose()[1] - one.pose()[1][:, :1], axis=-1).max(axis=0) for one in (found, expected)]
    np.testing.assert_allclose(reach[0], reach[1], rtol=0.2, atol=1e-3)


def notes_of(path: Path) -> tuple[str, ...]:
    """Return the notes on a file, which are the same with and without Blender."""
    notes = read_bvh_motion(path).notes
    assert import_file(path, bpy.context)[0].notes == notes
    return notes


def test_scales_other_than_one_are_ignored_with_a_note(bvh: Path) -> None:
    expected = motion_of(bvh)
    change = with_channels(ROOT_CHANNELS, ROOT_CHANNELS.replace("6", "7") + " Xscale", "1.5", column=6)
    bvh.write_text(change(walker()))
    assert_same(motion_of(bvh), expected)
    (note,) = notes_of(bvh)
    assert 'scales "Hips"' in note


@pytest.mark.parametrize("axes", ["X", "Z", "Y", "XZ", "YX", "ZY"])
def test_rotations_about_one_or_two_axes_are_as_if_the_others_were_zero(bvh: Path, axes: str) -> None:
    few = f"CHANNELS {len(axes)} " + " ".join(f"{axis}rotation" for axis in axes)
    every = f"CHANNELS 3 {few.split(' ', 2)[2]} " + " ".join(f"{axis}rotation" for axis in "XYZ" if axis not in axes)
    head, rows = split(walker().replace(SPINE_CHANNELS, every, 1))
    words = [row.split() for row in rows]
    given = ["10", "20"][: len(axes)]
    rest = ["0"] * (3 - len(axes))
    bvh.write_text(head + "\n".join(" ".join([*row[:6], *given, *rest, *row[9:]]) for row in words))
    expected = motion_of(bvh)
    head = head.replace(every, few, 1)
    bvh.write_text(head + "\n".join(" ".join([*row[:6], *given, *row[9:]]) for row in words))
    assert_same(motion_of(bvh), expected)
    assert np.abs(motion_of(bvh).rotations[:, 1, 1:]).max() > 0.05
    assert_same_as_imported(bvh)


POSITIONS = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"


@pytest.mark.parametrize("values", ["0 0 0", "0.000000 -0.0 0", "0.00001 0 0"])
def test_positions_that_are_all_zero_leave_joints_at_their_offsets(bvh: Path, values: str) -> None:
    expected = motion_of(bvh)
    bvh.write_text(with_channels(SPINE_CHANNELS, POSITIONS, values, column=6)(walker()))
    assert_same(motion_of(bvh), expected)
    (note,) = notes_of(bvh)
    assert '"Spine"' in note and "offsets" in note


def test_positions_that_move_or_are_zero_at_some_frames_only_are_used(bvh: Path) -> None:
    head, rows = split(with_channels(SPINE_CHANNELS, POSITIONS, "0 0 0", column=6)(walker()))
    words = rows[5].split()
    words[6] = "0.3"
    bvh.write_text("\n".join([head.rstrip(), *rows[:5], " ".join(words), *rows[6:]]) + "\n")
    assert notes_of(bvh) == () and 1 in motion_of(bvh).translated


@pytest.mark.parametrize(
    ("word", "rate"),
    [
        ("30", 30),
        ("30.0", 30),
        ("24", 24),
        ("60", 60),
        ("120.000", 120),
        ("29.97", 30 / 1.001),
        ("23.976", 24 / 1.001),
        ("10", 10),
        ("1000", 1000),
        ("5", 0.2),
    ],
)
def test_frame_time_that_looks_like_a_rate_is_read_as_a_rate_with_a_note(bvh: Path, word: str, rate: float) -> None:
    bvh.write_text(walker(frame_time=word))
    found: BvhMotion = read_bvh_motion(bvh)
    assert found.motion.frames_per_second == pytest.approx(rate)
    (note,) = notes_of(bvh)
    assert f'"{word}"' in note


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace(f"Frames: {FRAMES}", "Frames: 41"), "it has 40 of 41 frames"),
        (lambda text: text.replace(f"Frames: {FRAMES}", "Frames: 99999999999999"), "it has 40 of"),
        (lambda text: text.rstrip()[:-4], "frame 40 has 16 of 18 values"),
        (relaid(lambda rows: " ".join(rows)[:-4]), "frame 40 has 16 of 18 values"),
        (relaid(lambda rows: "\n".join([*rows[:3], rows[3] + " 9", rows[4][:-2], *rows[5:]])), "frame 5 has 17"),
        (relaid(lambda rows: "\n".join([*rows[:3], "nan" + rows[3][1:], *rows[4:]])), '"nan"'),
        (lambda text: text.replace(" 0.02", " 0,02"), "decimal commas"),
        (lambda text: "MOTION\n" + text.partition("MOTION\n")[2] + text.partition("MOTION\n")[0], "does not begin"),
        (lambda text: text.replace("CHANNELS 3", "CHANNELS 4 Wrotation", 1), "cannot be read"),
        (lambda text: "The motion of a walker\n" + text, "does not begin"),
    ],
)
def test_a_damaged_file_is_refused_with_the_place(bvh: Path, change: Change, said: str) -> None:
    text = change(walker())
    assert text != walker()
    bvh.write_text(text)
    assert said in said_of(bvh)
    with pytest.raises(InputError, match="walker"):
        read_bvh(bvh)


def test_more_frames_than_announced_are_read(bvh: Path) -> None:
    bvh.write_text(walker().replace(f"Frames: {FRAMES}", "Frames: 30"))
    assert motion_of(bvh).frames == FRAMES


def test_several_roots_and_thousands_of_names_that_come_twice_are_read_at_once(bvh: Path) -> None:
    head, _ = split(walker())
    hierarchy = head.partition("MOTION")[0].partition("\n")[2]
    copies = 400
    row = " ".join(["0"] * 18 * copies)
    bvh.write_text("HIERARCHY\n" + hierarchy * copies + f"MOTION\nFrames: 1\nFrame Time: 0.1\n{row}\n")
    names = motion_of(bvh).skeleton.names
    assert len(set(names)) == 5 * copies and names[5:7] == ("Hips.001", "Spine.001")


def test_more_joints_than_any_character_has_are_refused(bvh: Path) -> None:
    chain = "".join(f"JOINT a{number}\n{{\nOFFSET 0 1 0\n" for number in range(20_000)).replace("JOINT", "ROOT", 1)
    bvh.write_text(f"HIERARCHY\n{chain}{'}' * 20_000}\nMOTION\nFrames: 0\nFrame Time: 0.1\n")
    assert "more than 10,000 joints" in said_of(bvh)
