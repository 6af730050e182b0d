# SPDX-License-Identifier: GPL-3.0-or-later
"""Foot locks over frames: as text, in the panel's list, in recipes, and on the command line."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from commands import run, save
from interface import select

from genmm_addon.animation.foot_locks import FOOT_LOCKS, LockedFoot
from genmm_addon.character.sample.sample_character import SampleCharacter, add_sample_character
from genmm_addon.core import InputError
from genmm_addon.core.motion import load_motion
from genmm_addon.generation.recipe import recipe_of

pytestmark = pytest.mark.usefixtures("extension")

FOOT = "Toes.L"


@pytest.fixture
def sample() -> SampleCharacter:
    """Return the sample character, whose results are actions of its own."""
    made = add_sample_character(bpy.context)
    settings = made.armature.genmm
    settings.output, settings.frames, settings.new_seed, settings.seed = "NEW_ACTION", 120, False, 1
    bpy.ops.genmm.add_example(action="GenMM Walk")
    for item in settings.examples:
        item.enabled = item.action.name == "GenMM Walk"
    select(made.armature)
    return made


def slide(character: bpy.types.Object, first: int, last: int) -> float:
    """Return the distance of the foot along the ground, in heights of the character."""
    found = []
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        found.append(np.array((character.matrix_world @ character.pose.bones[FOOT].matrix).translation)[:2])
    places = np.array(found)
    return float(np.linalg.norm(places - places.mean(axis=0), axis=1).max()) / float(character.dimensions.z)


def stance(character: bpy.types.Object) -> tuple[int, int]:
    """Return the first and last frame of a stance in the middle of what the character plays."""
    still = [frame for frame in range(30, 100) if slide(character, frame, frame + 1) < 0.004]
    run_of = [frame for frame in still if frame - still[0] == still.index(frame)]
    return run_of[0], run_of[-1] + 1


@pytest.mark.parametrize(
    "lock",
    [
        LockedFoot("foot.L", "ALWAYS", 40, 70),
        LockedFoot('a "b", never c', "NEVER", -5, 7),
        LockedFoot("x", "ALWAYS", 1, 1),
    ],
)
def test_locks_are_read_back_as_they_are_written(lock: LockedFoot) -> None:
    assert FOOT_LOCKS.parse(FOOT_LOCKS.text([lock, lock])) == (lock, lock)


@pytest.mark.parametrize("text", ["foot", "foot always", "foot always 9-1", "foot sometimes 1-9", "foot always 1-9 x"])
def test_malformed_foot_lock_is_rejected_with_one_sentence(text: str) -> None:
    with pytest.raises(InputError, match=r"[.;]"):
        FOOT_LOCKS.parse(text)


def test_a_foot_of_the_list_stays_longer_and_the_recipe_says_so(sample: SampleCharacter) -> None:
    character = sample.armature
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    first, end = stance(character)
    last = end + 3
    before = slide(character, first, last)
    assert bpy.ops.genmm.add_row(rows="foot_locks", bone=FOOT, kind="ALWAYS", first=first, last=last) == {"FINISHED"}
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    assert slide(character, first, last) < min(0.02, before / 5)
    recipe = recipe_of(character.animation_data.action)
    assert recipe is not None and recipe.foot_locks == f"{FOOT} always {first}-{last}"
    assert bpy.ops.genmm.remove_row(rows="foot_locks", number=0) == {"FINISHED"} and character.genmm.foot_locks == ""


@pytest.mark.parametrize(
    ("lock", "sentence"),
    [
        ("Tail always 10-40", 'no bone "Tail"'),
        ("Head always 10-40", "not for a foot; the feet are"),
        (f"{FOOT} always 100-200", f'"{FOOT} always 100-200" .*outside the motion, which has frames 1 to 120'),
    ],
)
def test_impossible_foot_locks_are_rejected(sample: SampleCharacter, lock: str, sentence: str) -> None:
    sample.armature.genmm.foot_locks = lock
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.genmm.generate_motion()


def test_the_command_takes_locks(sample: SampleCharacter, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    hero = save(tmp_path, "hero")
    for name, more in (("plain", ()), ("locked", ("--foot-lock", f"{FOOT} always 31-50"))):
        said = run(capfd, "generate", hero, "--frames", 80, "--seed", 1, *more, "-o", tmp_path / f"{name}.npz")
        assert said.status == 0, said
    plain, locked = (load_motion(tmp_path / f"{name}.npz") for name in ("plain", "locked"))
    assert plain.frames == locked.frames and not np.array_equal(plain.rotations, locked.rotations)
    assert run(capfd, "generate", hero, "--foot-lock", f"{FOOT} sometimes", "-o", tmp_path / "no.npz").status == 2
