# SPDX-License-Identifier: GPL-3.0-or-later
"""One workflow: block, fill, connect, regenerate, simplify, edit, restore and polish follow each other in any order."""

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from characters import walking_sample
from hand_edits import block, by_hand, played
from interface import select
from numpy.typing import NDArray
from other_rigs import make_mixamo_like, walking_rigify
from rigify_human import generated_human
from rigs import key

from genmm_addon.animation import actions
from genmm_addon.animation.stretches.generated import generated_ranges
from genmm_addon.animation.stretches.key_times import key_times, pose_times

FIRST, LAST = 41, 71
"""The frames of the range that steps replace."""
RANGE = {"range_choice": "FRAMES", "first_frame": FIRST, "last_frame": LAST}
ORDER = int(bpy.app.version >= (5, 0))
"""Number of the random order of the steps: newer releases try another one."""
Step = Callable[[Object], Any]


def called(name: str, **values: Any) -> Step:
    return lambda _rig: getattr(bpy.ops.genmm, name)(**values)


STEPS: dict[str, Step] = {
    "block": block,
    "by hand": by_hand,
    "spline": called("blocking_to_spline"),
    "fill": called("fill_range", **RANGE),
    "next filling": called("next_filling"),
    "longer filling": called("fill_range", **RANGE, timing="DURATION", duration=40, moves_following=True),
    "trajectory": called("choose_trajectory", **RANGE),
    "natural": called("make_natural", **RANGE),
    "continue": called("continue_action", frames=30),
    "continue from playhead": called("continue_action", start="PLAYHEAD", frames=30),
    "continue backwards": called("continue_action", start="FIRST_KEY", frames=30),
    "connect": called("connect_action", action="Other"),
    "regenerate": called("edit_stretch", action="REGENERATE", first=FIRST, last=LAST),
    "swap": called("edit_stretch", action="SWAP", first=FIRST, last=LAST),
    "simplify": called("simplify_keys", where="ACTION"),
    "simplify generated": called("simplify_keys", where="GENERATED"),
    "coarse": called("coarse_keys"),
    "full": called("switch_keys", action="FULL"),
    "back to coarse": called("switch_keys", action="COARSE"),
    "repair": called("repair", kinds={"SPIKE"}),
}
WHY_NOT = (
    "Fill a range first",
    "fill the range again",
    "Press Coarse Keys first",
    "already has coarse keys",
    "Press Restore Full Motion first",
    "plays nothing that was generated",
    "was generated in place; choose Whole Action",
    "no poses with frames between them",
    "only keys of smooth curves become fewer",
)
"""Parts of the sentences with which a step refuses that needs another one first."""


def done(name: str, rig: Object) -> bool:
    """Take a step; return False where it refuses because it needs another step first, and fail for any other reason."""
    try:
        return "FINISHED" in STEPS[name](rig)
    except RuntimeError as error:
        assert any(reason in str(error) for reason in WHY_NOT), f"{name}: {error}"
        return False


def values(action: Action, slot: str, frames: NDArray[np.float64]) -> dict[tuple[str, int], NDArray[np.float64]]:
    curves = actions.fcurves_of(action, slot)
    return {(one.data_path, one.array_index): np.array([one.evaluate(frame) for frame in frames]) for one in curves}


def check_records(rig: Object) -> None:
    """Check that the action's marks hold, and lie between its keys."""
    action, slot = played(rig)
    times = key_times(rig, action, slot)
    for first, last in generated_ranges(action, slot):
        assert times[0] - 1e-3 <= first < last <= times[-1] + 1e-3, (action.name, first, last)


def prepared(rig: Object, name: str) -> Object:
    """Have the character play a copy of its walk, from which it learns."""
    walk, slot = played(rig)
    own, other = walk.copy(), walk.copy()
    own.name, other.name = name, "Other"
    actions.assign(rig, own, slot)
    rig.genmm.examples.clear()
    select(rig)
    bpy.ops.genmm.add_example(action=walk.name)
    bpy.context.scene.frame_set(56)
    return rig


def stepping_in_place(rig: Object) -> tuple[Action, str]:
    """Return an action, and its slot, of controls of Rigify that IK follows: the torso sways over stepping feet."""
    action, slot = actions.new_action("Steps", rig)
    frames = range(1, 151)
    for bone, phase in (("torso", 0.0), ("foot_ik.L", 1.6), ("foot_ik.R", 4.7), ("hand_ik.L", 3.1), ("hand_ik.R", 0.4)):
        for axis, width in enumerate((0.02, 0.05, 0.1)):
            values = [(float(frame), width * math.sin(frame / 5 + phase + frame * axis / 90)) for frame in frames]
            key(action, slot, f'pose.bones["{bone}"].location', axis, values)
    return action, slot


@pytest.fixture(params=["sample", "mixamo", "rigify", pytest.param("rigify with IK", marks=pytest.mark.every_case)])
def rig(request: pytest.FixtureRequest) -> Iterator[Object]:
    if request.param == "rigify with IK":
        with generated_human() as human:
            actions.assign(human, *stepping_in_place(human))
            bpy.context.view_layer.update()
            yield prepared(human, "Own")
        return
    if request.param == "rigify":
        with generated_human() as human:
            bpy.data.objects.remove(human)
            yield prepared(walking_rigify(walking_sample(), 120), "Own")
        return
    request.getfixturevalue("extension")
    sample = walking_sample()
    if request.param == "mixamo":
        make_mixamo_like(sample)
    yield prepared(sample, "Own")


def test_steps_follow_each_other_in_any_order(rig: Object) -> None:
    order = random.Random(f"{ORDER} {rig.name}").sample([*STEPS, "fill", "spline", "simplify"], len(STEPS) + 3)
    taken: list[str] = []
    for name in order:
        action, slot = played(rig)
        before = values(action, slot, np.arange(-40.0, 400.0, 2.5))
        marked = generated_ranges(action, slot)
        if not done(name, rig):
            now = values(*played(rig), np.arange(-40.0, 400.0, 2.5))
            assert played(rig)[0] == action and generated_ranges(action, slot) == marked, name
            assert all(np.array_equal(now[key], before[key]) for key in before), f"{name} after {taken}"
            continue
        taken.append(name)
        if name not in ("by hand", "block"):
            check_records(rig)
    assert len(taken) >= len(STEPS) // 2


@pytest.mark.slow
@pytest.mark.usefixtures("extension")
def test_poses_stay_poses_through_every_step_that_keeps_their_frames() -> None:
    rig = prepared(walking_sample(), "Own")
    block(rig)
    poses = pose_times(rig, *played(rig)).tolist()
    for name in ("spline", "simplify", "spline", "simplify generated", "repair", "continue"):
        assert done(name, rig), name
        assert pose_times(rig, *played(rig)).tolist() == poses, name
    bpy.context.scene.use_preview_range = True
    bpy.context.scene.frame_preview_start, bpy.context.scene.frame_preview_end = FIRST, 121
    bpy.ops.genmm.simplify_keys(where="PREVIEW")
    assert pose_times(rig, *played(rig)).tolist() == poses


@pytest.mark.usefixtures("extension")
@pytest.mark.parametrize("name", ["continue from playhead", "connect"])
def test_marks_end_where_their_keys_are_replaced(name: str) -> None:
    rig = prepared(walking_sample(), "Own")
    block(rig)
    done("spline", rig)
    assert done(name, rig)
    action, slot = played(rig)
    last = generated_ranges(action, slot)[-1][1]
    end = key_times(rig, action, slot)[-1]
    if name == "connect":
        assert last < end - 100, "the frames after the transition are the other action's own"
    else:
        assert last == end


@pytest.mark.slow
@pytest.mark.usefixtures("extension")
def test_every_step_of_the_chain_is_undone() -> None:
    rig = prepared(walking_sample(), "Own")
    name = rig.name

    def state() -> Any:
        action, slot = played(bpy.data.objects[name])
        shown = values(action, slot, np.arange(1.0, 330.0, 7.0))
        return action.name, generated_ranges(action, slot), {key: one.tolist() for key, one in shown.items()}

    bpy.ops.ed.undo_push(message="Start")
    states = [state()]
    for step in ("block", "spline", "fill", "connect", "simplify", "by hand", "coarse", "full", "natural"):
        assert done(step, bpy.data.objects[name]), step
        bpy.ops.ed.undo_push(message=step)
        states.append(state())
    for before in reversed(states[:-1]):
        bpy.ops.ed.undo()
        assert state() == before
