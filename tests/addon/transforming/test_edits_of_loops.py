# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits in place of curves that cycle beyond their ends, as those of results with Loop: each round is edited."""

import bpy
import numpy as np
import pytest
from bpy.types import Action
from interface import sample_on_own_walk
from numpy.typing import NDArray

from genmm_addon.animation.actions import fcurves_of, is_cyclic, repeat_forever

pytestmark = pytest.mark.usefixtures("extension")

FIRST, LAST = 41, 71


@pytest.fixture
def loop() -> Action:
    """Return a copy of the sample's walk that cycles, which it plays; the walk and the dance are the examples."""
    sample, walk, copy = sample_on_own_walk()
    repeat_forever(copy)
    for example in (walk, next(one for one in sample.actions if one.name.endswith("Dance"))):
        bpy.ops.genmm.add_example(action=example.name)
    return copy


def values_of(action: Action) -> NDArray[np.float64]:
    """Return the values `(C, T)` of all curves over two rounds."""
    frames = np.arange(action.frame_range[0], action.frame_range[0] + 2 * period_of(action)).tolist()
    return np.array([[curve.evaluate(frame) for frame in frames] for curve in fcurves_of(action)])


def period_of(action: Action) -> int:
    return round(action.frame_range[1] - action.frame_range[0])


@pytest.mark.parametrize("edit", ["fill_range", "make_natural"])
def test_a_range_within_a_loop_changes_in_each_round_and_nowhere_else(loop: Action, edit: str) -> None:
    before, period = values_of(loop), period_of(loop)
    assert getattr(bpy.ops.genmm, edit)(range_choice="FRAMES", first_frame=FIRST, last_frame=LAST) == {"FINISHED"}
    changes = values_of(loop) - before
    inside = np.arange(FIRST, LAST - 1)
    assert np.abs(changes[:, inside]).max() > 1e-3
    assert np.allclose(changes[:, inside + period], changes[:, inside], atol=1e-5)
    assert np.abs(np.delete(changes, [*inside, *inside + period], axis=1)).max() < 1e-5
    assert all(map(is_cyclic, fcurves_of(loop)))


def test_coarse_keys_of_a_loop_cycle_as_it_does(loop: Action) -> None:
    before = values_of(loop)
    assert bpy.ops.genmm.coarse_keys() == {"FINISHED"}
    armature = bpy.context.view_layer.objects.active
    assert armature is not None and armature.animation_data.action != loop
    coarse = armature.animation_data.action
    assert all(map(is_cyclic, fcurves_of(coarse)))
    ends = [0, period_of(loop)]
    assert np.allclose(values_of(coarse)[:, ends], before[:, ends], atol=1e-4)


@pytest.mark.parametrize(
    ("press", "values"),
    [("restyle", {}), ("blend_action", {}), ("edit_attributes", {"attributes": "arm_swing=0.95x"})],
)
def test_a_new_action_from_a_loop_does_not_repeat_and_says_so(
    press: str, values: dict[str, str], loop: Action, capfd: pytest.CaptureFixture[str]
) -> None:
    loop.use_frame_range = loop.use_cyclic = True
    before = values_of(loop)
    assert getattr(bpy.ops.genmm, press)(other_action="GenMM Walk Tired", **values) == {"FINISHED"}
    armature = bpy.context.view_layer.objects.active
    assert armature is not None
    made = armature.animation_data.action
    assert made != loop and not made.use_cyclic and not any(map(is_cyclic, fcurves_of(made)))
    assert "does not repeat" in capfd.readouterr().out
    assert np.array_equal(values_of(loop), before) and all(map(is_cyclic, fcurves_of(loop)))


@pytest.mark.parametrize(
    ("press", "values"), [("continue_action", {"frames": 20}), ("connect_action", {"action": "GenMM Dance"})]
)
def test_a_loop_that_goes_on_ends_its_cycles_and_says_so(
    press: str, values: dict[str, object], loop: Action, capfd: pytest.CaptureFixture[str]
) -> None:
    before, last = values_of(loop), loop.frame_range[1]
    assert getattr(bpy.ops.genmm, press)(**values) == {"FINISHED"}
    assert not any(map(is_cyclic, fcurves_of(loop))) and loop.frame_range[1] >= last + 20
    assert f'"{loop.name}" does not repeat any more' in capfd.readouterr().out
    kept = range(round(last) - 32)
    assert np.allclose(values_of(loop)[:, kept], before[:, kept], atol=1e-5)


def test_a_loop_that_cannot_go_on_stays_a_loop(loop: Action) -> None:
    loop.use_frame_range = loop.use_cyclic = True
    fcurves_of(loop)[0].lock = True
    before = values_of(loop)
    with pytest.raises(RuntimeError, match="is locked; unlock it first"):
        bpy.ops.genmm.continue_action()
    assert np.array_equal(values_of(loop), before) and loop.use_cyclic and all(map(is_cyclic, fcurves_of(loop)))
