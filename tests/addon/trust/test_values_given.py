# SPDX-License-Identifier: GPL-3.0-or-later
"""Values given from Python: plausible types are accepted, and invalid values are refused at once in a sentence."""

import struct
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from bvh_files import walker
from interface import new_character
from sounds import needs_sound

from bench.motions.sounds import SOUND_RATE
from genmm_addon.animation.reading.examples import ExampleSpec
from genmm_addon.animation.signals.sound import read_sound
from genmm_addon.core import Facing, InputError, Loop, Settings
from genmm_addon.crowd.request import CrowdLayout, CrowdRequest, Face
from genmm_addon.files.import_file import import_file
from genmm_addon.generation.direction import CompletionSpec, PartSpec, PathSpec, PathSpeed, PinsSpec
from genmm_addon.generation.generate import compute, read
from genmm_addon.generation.request import Output, PartMode, Request

pytestmark = pytest.mark.usefixtures("extension")


def asked(rig: Object, **changes: Any) -> Request:
    values: dict[str, Any] = {"armature": rig, "examples": (ExampleSpec(rig.animation_data.action),), "frames": 30}
    return Request(**(values | changes))


TAKEN = (
    ("frames", np.int64(40), 40),
    ("frames", 40.0, 40),
    ("frames", np.array(40), 40),
    ("seeds", 7, (7,)),
    ("seeds", [1, np.int32(2)], (1, 2)),
    ("seeds", range(3), (0, 1, 2)),
    ("seeds", np.arange(3), (0, 1, 2)),
    ("seeds", np.int64(4), (4,)),
    ("output", "NEW_ACTION", Output.NEW_ACTION),
    ("output", "new-action", Output.NEW_ACTION),
    ("part_mode", "limbs", PartMode.LIMBS),
    ("loop", "In Place", Loop.IN_PLACE),
    ("visual", np.bool_(True), True),
    ("tolerance", 1, 1.0),
    ("tolerance", np.float32(0.5), 0.5),
    ("frame_start", np.int64(5), 5.0),
    ("bone_names", {"a": "b"}, (("a", "b"),)),
    ("bone_names", [["a", "b"]], (("a", "b"),)),
)


@pytest.mark.parametrize(("name", "value", "meant"), TAKEN, ids=[f"{name}={value!r}" for name, value, _ in TAKEN])
def test_request_accepts_the_types_a_script_uses(name: str, value: Any, meant: Any) -> None:
    found = getattr(asked(new_character(), **{name: value}), name)
    assert found == meant and type(found) is type(meant)


REFUSED = (
    *[("frames", value) for value in (30.5, "30", None, True, np.nan, [30], np.array([1, 2]), 0, -3, 1e9)],
    *[("seeds", value) for value in ("0-9", None, {1: 2}, {1}, [0.5], [None], [], np.zeros((2, 2)), -1)],
    *[("output", value) for value in ("NEW", 3, None, PartMode.LIMBS)],
    *[("part_mode", value) for value in ("LEGS", True)],
    *[("loop", value) for value in ("ROUND", 0)],
    *[("tolerance", value) for value in ("0", None, np.inf, -1, 1j)],
    *[("frame_start", value) for value in ("1", np.nan, 1e9, True)],
    *[("visual", value) for value in ("yes", 1)],
    *[("armature", value) for value in (None, "Hero")],
    *[("examples", value) for value in (None, "Walk", [3], 3)],
    *[("settings", value) for value in (None, {"noise": 1}, "More Variety")],
    *[("parts", value) for value in (["Legs"], None, "Legs")],
    *[("pins", value) for value in ("Pins", True)],
    *[("completion", value) for value in ("Walk",)],
    *[("path", value) for value in ("Ring",)],
    *[("bone_names", value) for value in ("ab", [("a",)], [("a", 3)], 3)],
)


@pytest.mark.parametrize(("name", "value"), REFUSED, ids=[f"{name}={value!r}" for name, value in REFUSED])
def test_request_rejects_meaningless_values_immediately(name: str, value: Any) -> None:
    rig = new_character()
    with pytest.raises(InputError) as refusal:
        asked(rig, **{name: value})
    assert str(refusal.value).endswith(".") and "\n" not in str(refusal.value)


def test_an_action_or_a_single_example_is_a_list_of_one() -> None:
    rig = new_character()
    action: Action = rig.animation_data.action
    for examples in (action, [action], ExampleSpec(action), [ExampleSpec(action)]):
        assert asked(rig, examples=examples).examples == (ExampleSpec(action),)


def test_values_of_other_types_generate_the_same_motion() -> None:
    rig = new_character()
    written: dict[str, Any] = {"examples": rig.animation_data.action, "frames": 30.0, "seeds": np.int64(3)}
    first, second = (
        compute(read(request, bpy.context.scene), request)[0].motion
        for request in (asked(rig, seeds=(3,)), asked(rig, **written))
    )
    assert first.frames == 30
    np.testing.assert_array_equal(first.rotations, second.rotations)


def refused(make: Any) -> None:
    with pytest.raises(InputError):
        make()


def test_examples_and_directions_take_numbers_and_words_and_refuse_others() -> None:
    rig = new_character()
    action = rig.animation_data.action
    spec = ExampleSpec(action, frame_start=np.int64(2), frame_end=20, frames_per_second=np.float32(30))  # type: ignore[arg-type]
    assert (spec.frame_start, spec.frame_end, spec.frames_per_second) == (2.0, 20.0, 30.0)
    assert PathSpec(rig, "arrive").speed is PathSpeed.ARRIVE  # type: ignore[arg-type]
    assert PartSpec("Legs", ["a", "b"], [np.int64(1)]) == PartSpec("Legs", ("a", "b"), (1,))  # type: ignore[arg-type]
    wrong: tuple[Any, ...] = (
        lambda: ExampleSpec("Walk"),  # type: ignore[arg-type]
        lambda: ExampleSpec(action, frame_start="1"),  # type: ignore[arg-type]
        lambda: ExampleSpec(action, skip_first_frame="no"),  # type: ignore[arg-type]
        lambda: PinsSpec("Pins"),  # type: ignore[arg-type]
        lambda: PathSpec("Ring"),  # type: ignore[arg-type]
        lambda: PathSpec(rig, "FAST"),  # type: ignore[arg-type]
        lambda: CompletionSpec(action, [1]),  # type: ignore[arg-type]
        lambda: PartSpec(3, ()),  # type: ignore[arg-type]
    )
    for make in wrong:
        refused(make)


def test_settings_take_words_and_refuse_others() -> None:
    told: Any = {
        "patch_frames": 7.0,
        "facing": "free",
        "feet": ["a"],
        "joint_weights": {"a": 2},
        "noise": np.float64(1),
    }
    found = Settings(**told)
    assert found == Settings(patch_frames=7, facing=Facing.FREE, feet=("a",), joint_weights=(("a", 2.0),))
    assert hash(found) is not None
    for name, value in (
        ("patch_frames", 7.5), ("noise", "1"), ("facing", "BACK"), ("feet", [1]), ("joint_weights", "a"),
        ("completeness", "off"), ("foot_locking", 1), ("root", 3), ("iterations", None), ("pyramid_factor", np.nan),
    ):  # fmt: skip
        wrong: dict[str, Any] = {name: value}
        refused(lambda wrong=wrong: Settings(**wrong))


def test_a_crowd_takes_words_and_refuses_others() -> None:
    told: Any = {"agents": 5.0, "layout": "grid", "face": "random", "seed": np.int64(3)}
    found = CrowdRequest(**told)
    assert (found.agents, found.layout, found.face, found.seed) == (5, CrowdLayout.GRID, Face.RANDOM, 3)
    for name, value in (("agents", "many"), ("layout", "ROW"), ("targets", ["Ring"]), ("seed", 1.5)):
        wrong: dict[str, Any] = {"agents": 3} | {name: value}
        refused(lambda wrong=wrong: CrowdRequest(**wrong))


def test_a_file_is_named_by_a_text_or_a_path(tmp_path: Path) -> None:
    path = tmp_path / "walker.bvh"
    path.write_text(walker())
    assert len(import_file(str(path), bpy.context)) == 1
    for wrong in (None, 3, b"walker.bvh", ["walker.bvh"]):
        with pytest.raises(InputError, match="given as a text or a path"):
            import_file(wrong, bpy.context)  # type: ignore[arg-type]
    refused(lambda: import_file("", bpy.context))
    refused(lambda: import_file(tmp_path / ("x" * 300 + ".bvh"), bpy.context))
    refused(lambda: import_file("a\0b.bvh", bpy.context))


@needs_sound
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_sound_whose_samples_are_not_numbers_is_refused_by_name(value: float, tmp_path: Path) -> None:
    samples = np.sin(np.arange(4 * SOUND_RATE)).astype("<f4")
    samples[SOUND_RATE] = value
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 3, 1, SOUND_RATE, 4 * SOUND_RATE, 4, 32)
    body = form + struct.pack("<4sI", b"data", samples.nbytes) + samples.tobytes()
    path = tmp_path / "song.wav"
    path.write_bytes(struct.pack("<4sI4s", b"RIFF", 4 + len(body), b"WAVE") + body)
    with pytest.raises(InputError, match=r'song\.wav" has samples that are not numbers'):
        read_sound(str(path), bpy.context.scene, 1, 48)
