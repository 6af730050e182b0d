# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of real files matched with each other, by shape alone and with names, against a table made by hand."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import bpy
import pytest
from rigify_human import generated_human
from rigs import MOTIONS, load

from genmm_addon.animation.reading.examples import read_examples
from genmm_addon.animation.rig import read_skeleton
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.core import InputError, Motion, Skeleton
from genmm_addon.core.transfer import match_joints
from genmm_addon.files.import_file import import_file

TABLE = json.loads((Path(__file__).resolve().parents[2] / "core" / "data" / "joint_roles.json").read_text("utf-8"))
LEAST_BY_SHAPE = {"human": 0.97, "quadruped": 0.95}
LEAST_WITH_NAMES = {"human": 0.995, "quadruped": 0.95}
"""Least shares of the joints of the table that are matched right over all pairs of skeletons."""
MOST_FRAMES = 120

pytestmark = [
    pytest.mark.arrays,
    pytest.mark.skipif(not MOTIONS.is_dir(), reason="needs the shared motions"),
    pytest.mark.skipif(bpy.app.version < (4, 5), reason="the glTF importer of Blender 4.2 crashes now and then"),
]


@dataclass(frozen=True, eq=False)
class Labeled:
    """A skeleton, its motions, and its joints by their roles in the body."""

    skeleton: Skeleton
    motions: Sequence[Motion]
    roles: dict[str, list[str]]

    def anonymous(self) -> "Labeled":
        """Return the same with numbers as names."""
        place = {name: f"j{joint}" for joint, name in enumerate(self.skeleton.names)}
        skeleton = replace(self.skeleton, names=tuple(place.values()))
        motions = [replace(motion, skeleton=skeleton) for motion in self.motions]
        roles = {role: [place[name] for name in names] for role, names in self.roles.items()}
        return Labeled(skeleton, motions, roles)


def labeled(kind: str) -> list[Labeled]:
    """Return one skeleton for each row of the table that is of a kind."""
    rows = [row for row in TABLE if row["kind"] == kind and not row["files"][0].startswith("metarig")]
    return [Labeled(*skeleton_of(row["files"][0]), row["roles"]) for row in rows]


def skeleton_of(name: str) -> tuple[Skeleton, list[Motion]]:
    """Return the skeleton of a row of the table, and a motion if there is one."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    if name == "rigify":
        with generated_human() as rig:
            return read_skeleton(rig), []
    if name == "sample":
        return read_skeleton(add_sample_character(bpy.context).armature), []
    try:
        (character,) = import_file(MOTIONS / name, bpy.context)
    except InputError:
        load(MOTIONS / name)
        return read_skeleton(next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")), []
    (motion,) = read_examples(character.armature, character.examples[:1], scene=bpy.context.scene).motions
    motion = motion.slice(0, min(motion.frames, MOST_FRAMES))
    return motion.skeleton, [motion]


@pytest.mark.parametrize("kind", ["human", "quadruped"])
def test_joints_of_real_skeletons_find_those_that_do_the_same_work(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    named = labeled(kind)
    check_shares(named, 0.5, LEAST_WITH_NAMES[kind])
    monkeypatch.setattr("genmm_addon.core.transfer.known_skeletons.known_skeletons", tuple)
    check_shares(named, 0.5, LEAST_WITH_NAMES[kind])
    check_shares([body.anonymous() for body in named], 0.0, LEAST_BY_SHAPE[kind])


def check_shares(bodies: Sequence[Labeled], trust: float, least: float) -> None:
    right, total, wrong = 0, 0, list[str]()
    for source in bodies:
        for target in (other for other in bodies if other is not source):
            found = match_joints(
                source.skeleton, target.skeleton, motions=source.motions, target_motions=target.motions, trust=trust
            ).names
            for role in source.roles.keys() & target.roles.keys():
                counterparts = {found.get(name) for name in source.roles[role]}
                total += 1
                right += bool(counterparts & {*target.roles[role]})
                if role.endswith((".l", ".r")):
                    other_side = role[:-1] + {"l": "r", "r": "l"}[role[-1]]
                    wrong += [role] * bool(counterparts & {*target.roles.get(other_side, ())})
    assert right / total >= least
    assert not wrong, "left and right are never exchanged"
