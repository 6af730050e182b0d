# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of a request's directions to the synthesis's parts and constraints."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from bpy.types import Object, Scene

from ..animation.bone_places import PLACES
from ..animation.curve_path import read_path
from ..animation.ground_mesh import read_ground
from ..animation.pins.pose_constraint import constraint_from_pins
from ..animation.reading.example_spec import numbers_used, rate_of, used_examples
from ..animation.reading.examples import ExampleSpec, Reading, example_range
from ..animation.reading.target_motion import left_out_notes, read_target_motion
from ..animation.rig import OBJECT_JOINT
from ..animation.row_lists import ResultFrames, row_lists_in
from ..animation.scene_time import first_frame, scene_rate
from ..animation.waypoints import EmptyAtFrame, read_waypoints
from ..control_rigs.control_rig import legs_need_controls
from ..control_rigs.ground_in_action import grounded_ranges
from ..core import (
    Constraints,
    Facing,
    InputError,
    Loop,
    Part,
    PoseConstraint,
    RootPath,
    Skeleton,
    Waypoints,
    listed,
    same_values,
)
from ..core.constraints import NOTHING, Constraint, OnGround, lowered_poses
from ..core.environment import Surface
from ..core.features import complete, limb_partition, whole_body
from ..core.motion import find_root, with_typical_pose
from .direction import CompletionSpec, PathSpec, PathSpeed
from .estimates import check_output_memory
from .request import PartMode, Request


@dataclass(frozen=True, eq=False)
class ResolvedConstraints:
    """Parts and constraints of a request as arrays and names only, fit for a thread.

    parts: None for the whole body. part_names: names of all parts, the remainder included. given_frames: the length of
    the kept part, and so of the result; None for the request's length. stands: the result has a fixed place in the
    world, so that a new character is not moved beside the source. grounds_controls: the result is put on the ground
    after it is written, since a control rig's constraints turn its legs. reaches_controls: bones are brought to their
    places after it is written, since such constraints move them.
    """

    parts: tuple[Part, ...] | None = None
    part_names: tuple[str, ...] = ()
    constraints: Constraints = NOTHING
    given_frames: int | None = None
    stands: bool = False
    grounds_controls: bool = False
    reaches_controls: bool = False
    notes: tuple[str, ...] = ()

    @property
    def by_controls(self) -> bool:
        """Return whether a result is changed through its rig's controls after it is written."""
        return self.grounds_controls or self.reaches_controls


def resolve_constraints(request: Request, reading: Reading, scene: Scene) -> ResolvedConstraints:
    """Return the request's parts, pins, kept part, path and loop as arrays.

    Raises InputError that names what is impossible.
    """
    skeleton = reading.motions[0].skeleton
    parts = _parts(request, reading)
    names = tuple(part.name for part in complete(parts or whole_body(skeleton), skeleton))
    frames = request.frames
    notes = _notes_on_missing(request, skeleton)
    given = pinned = None
    if request.completion is not None:
        given, more = _given(request, request.completion, reading, scene)
        notes += more
        frames = given.motion.frames
    start = first_frame(request.frame_start, scene)
    if request.pins is not None:
        pins = request.pins
        root, rate = request.settings.root, scene_rate(scene)
        pinned_poses = constraint_from_pins(
            request.armature, reading, pins.action, pins.slot, start, frames, root, rate, pins.places
        )
        pinned, notes = pinned_poses.constraint, (*notes, *pinned_poses.notes)
    poses, more = _together(given, pinned)
    path = None if request.path is None else _path(request, request.path, reading, frames, scene)
    placed = pinned is not None and bool(pinned.place.any())
    waypoints = _waypoints(request, reading, scene)
    ground = None
    by_controls = request.ground is not None and _is_put_by_controls(request, reading, poses)
    notes += _notes_on_climbing(request)
    if request.ground is not None and not by_controls:
        poses, ground = _ground(request, reading, poses, scene)
    reached = _are_met_by_controls(request, reading)
    surface = ground.surface if ground is not None else _surface(request, reading) if by_controls else None
    examples = [example.spec for example in used_examples(request.examples)]
    met_later = reached or by_controls
    result = ResultFrames(
        request.armature, skeleton, scene, start, frames, examples, request.label_markers, surface, met_later
    )
    before, after = (_listed(request, result, after_ground) for after_ground in (False, True))
    others = tuple(constraint for constraint in (*before, waypoints, ground, *after) if constraint is not None)
    return ResolvedConstraints(
        parts=parts,
        part_names=names,
        constraints=Constraints(poses, path, request.loop, others),
        given_frames=None if given is None else frames,
        stands=placed or covers_ground(request) or any(constraint.locates for constraint in (*before, *after)),
        grounds_controls=by_controls,
        reaches_controls=met_later and bool(request.reaches),
        notes=(*notes, *more),
    )


def settings_for(request: Request) -> Request:
    """Return the request, with free facing where a path or waypoints turn the character and facing is automatic."""
    turns = bool(request.waypoints) or (request.path is not None and request.path.along)
    if not turns or request.settings.facing is not Facing.AUTO:
        return request
    return replace(request, settings=replace(request.settings, facing=Facing.FREE))


def covers_ground(request: Request) -> bool:
    """Return whether a result goes somewhere, so that examples that walk in place have to travel."""
    return (
        request.path is not None or request.ground is not None or any(waypoint.place for waypoint in request.waypoints)
    )


def _parts(request: Request, reading: Reading) -> tuple[Part, ...] | None:
    skeleton = reading.motions[0].skeleton
    if request.part_mode is PartMode.WHOLE_BODY:
        return None
    if request.part_mode is PartMode.LIMBS:
        return limb_partition(with_typical_pose(reading.motions[:1])[0].skeleton)
    if not request.parts:
        raise InputError("There is no custom part; add one to the list, or choose other parts.")
    parts = []
    for spec in request.parts:
        joints = _joints(skeleton, spec.bones)
        if not joints:
            raise InputError(f"The part '{spec.name}' has no bone of this character; add some or remove it.")
        examples = spec.examples
        if examples is None:
            examples = examples_for(spec.bones, reading.known)
        else:
            examples = numbers_used(examples, request.examples)
        parts.append(Part(spec.name, joints, examples))
    return tuple(parts)


def _notes_on_missing(request: Request, skeleton: Skeleton) -> tuple[str, ...]:
    bones = set(skeleton.names)
    missing = sorted({bone for part in request.parts for bone in part.bones} - bones)
    if not missing or request.part_mode is not PartMode.PAINTED:
        return ()
    return (f"Bones of parts that are no longer there are left out: {listed(missing)}.",)


def examples_for(bones: Sequence[str], known: Sequence[frozenset[str] | None]) -> tuple[int, ...] | None:
    """Return the numbers of the examples that have most of a part's bones; None for all examples."""
    fitting = [
        number
        for number, moved in enumerate(known)
        if moved is None or sum(bone in moved for bone in bones) > len(bones) / 2
    ]
    return tuple(fitting) if fitting and len(fitting) < len(known) else None


def _joints(skeleton: Skeleton, bones: Sequence[str]) -> tuple[int, ...]:
    chosen = set(bones)
    joints = [number for number, name in enumerate(skeleton.names) if name in chosen]
    # The object's own joint belongs to the part of the bones directly below it.
    if skeleton.names[0] == OBJECT_JOINT and any(skeleton.parents[number] == 0 for number in joints):
        joints.insert(0, 0)
    return tuple(joints)


def _given(
    request: Request, spec: CompletionSpec, reading: Reading, scene: Scene
) -> tuple[PoseConstraint, tuple[str, ...]]:
    """Return the kept part over its whole length, and notes on bones that cannot be kept."""
    skeleton, armature = reading.motions[0].skeleton, request.armature
    joints = list(_joints(skeleton, spec.bones))
    if not joints:
        raise InputError("The kept part has no bone of this character; choose another part.")
    example = ExampleSpec(spec.action, spec.slot, spec.frame_start, spec.frame_end)
    first, last = example_range(armature, example, scene)
    step = rate_of(replace(example, frames_per_second=spec.frames_per_second), scene) / scene_rate(scene)
    at = first + np.arange(int(np.floor((last - first) / step + 1e-4)) + 1, dtype=np.float64) * step
    check_output_memory(request, reading, scene, frames=len(at), count=1, written=False)
    motion = read_target_motion(armature, reading, spec.action, spec.slot, at, scene_rate(scene))
    motion.check_values(f'Action "{spec.action.name}"')
    mask = np.zeros((len(at), len(skeleton.names)), bool)
    mask[:, joints] = True
    place = np.full(len(at), _root_of(request, reading) in joints)
    return PoseConstraint(motion, mask, place), left_out_notes(armature, reading, spec.action, spec.slot)


def _root_of(request: Request, reading: Reading) -> int:
    names, root = reading.motions[0].skeleton.names, request.settings.root
    return names.index(root) if root in names else find_root(reading.motions)


def _together(
    given: PoseConstraint | None, pinned: PoseConstraint | None
) -> tuple[PoseConstraint | None, tuple[str, ...]]:
    """Return the kept part and the pins as one constraint; where they overlap the kept part wins, with a note."""
    if given is None or pinned is None:
        return given or pinned, ()
    mine = np.asarray(given.joints.any(axis=0))
    lost = bool((pinned.joints & mine).any())
    kept, pinned_motion = given.motion, pinned.motion
    motion = kept.with_channels(
        {
            "rotations": np.where(mine[:, None], kept.rotations, pinned_motion.rotations),
            "translations": np.where(mine[kept.translated][:, None], kept.translations, pinned_motion.translations),
            "scales": np.where(mine[kept.scaled][:, None], kept.scales, pinned_motion.scales),
            "scalars": kept.scalars,
        }
    )
    place = given.place if given.place.any() else pinned.place
    notes = ("Pins on bones of the kept part are left out, since these bones play its action.",) if lost else ()
    return PoseConstraint(motion, given.joints | pinned.joints, place), notes


def _path(request: Request, spec: PathSpec, reading: Reading, frames: int, scene: Scene) -> RootPath:
    start = first_frame(request.frame_start, scene)
    return read_path(
        spec.curve,
        request.armature,
        reading.motions[0].skeleton.names[0] == OBJECT_JOINT,
        frames=start + np.arange(frames, dtype=np.float64) if spec.speed is PathSpeed.CURVE else None,
        arrives=spec.speed is PathSpeed.ARRIVE,
        along=spec.along,
        climbs=spec.climbs,
    )


def _ground(
    request: Request, reading: Reading, poses: PoseConstraint | None, scene: Scene
) -> tuple[PoseConstraint | None, OnGround]:
    """Return the poses converted to flat ground, and the ground that the result is put on."""
    example, root, surface = reading.motions[0], _root_of(request, reading), _surface(request, reading)
    start = first_frame(request.frame_start, scene)
    if poses is None:
        return None, OnGround(surface, first_frame=start)
    lowered, given = lowered_poses(poses, surface, example, root)
    return lowered, OnGround(surface, given, start)


def _notes_on_climbing(request: Request) -> tuple[str, ...]:
    """Return a note where an example was itself put on a ground, though it is learned from as if on level ground."""
    actions = [example.spec.action for example in used_examples(request.examples)] if request.ground is not None else []
    climbing = next((action for action in actions if action is not None and grounded_ranges(action)), None)
    if climbing is None:
        return ()
    return (
        f'Action "{climbing.name}" was put on a ground before, but examples should be on level ground; learn from the '
        "action before that, or leave out the ground.",
    )


def _surface(request: Request, reading: Reading) -> Surface:
    """Return the ground of a request."""
    assert request.ground is not None
    skeleton = reading.motions[0].skeleton
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return read_ground(
        request.ground.ground, request.armature, skeleton.names[0] == OBJECT_JOINT, skeleton.up, depsgraph
    )


def _is_put_by_controls(request: Request, reading: Reading, poses: PoseConstraint | None) -> bool:
    """Return whether the result belongs to a control rig, which is put on the ground after it is written.

    Raises InputError for other directions that such a result cannot follow on a ground.
    """
    if reading.visual or not legs_need_controls(request.armature, reading.motions, request.settings.feet):
        return False
    name = request.armature.name
    if request.loop is not Loop.OFF:
        raise InputError(OnGround.why_not_in_loops)
    if poses is not None and poses.place.any():
        raise InputError(
            f'Constraints turn the legs of "{name}", so pins with a location cannot be kept on the ground; pin the '
            "poses alone, or leave out the ground."
        )
    return True


def _listed(request: Request, result: ResultFrames, after_ground: bool) -> list[Constraint]:
    """Return the constraints of a request's lists of rows that act before or after the result is put on its ground."""
    return [
        constraint
        for name, rows in row_lists_in(type(request)).items()
        if rows.constraints is not None and rows.after_ground is after_ground
        for constraint in rows.constraints(rows.parse(getattr(request, name)), result)
    ]


def _are_met_by_controls(request: Request, reading: Reading) -> bool:
    """Return whether constraints move a bone that has a place, unless visual keys hold the pose that they make."""
    if reading.visual:
        return False
    return any(_is_carried(request.armature, place.bone) for place in PLACES.parse(request.reaches))


def _is_carried(character: Object, bone: str) -> bool:
    """Return whether constraints other than limits move a bone, or one above it."""
    if bone not in character.pose.bones:
        return False
    pose_bone = character.pose.bones[bone]
    return any(
        not constraint.mute and constraint.influence > 0.0 and not constraint.type.startswith("LIMIT_")
        for above in (pose_bone, *pose_bone.parent_recursive)
        for constraint in above.constraints
    )


def _waypoints(request: Request, reading: Reading, scene: Scene) -> Waypoints | None:
    skeleton = reading.motions[0].skeleton
    asked = [
        EmptyAtFrame(spec.empty, spec.frame, spec.place, spec.facing)
        for spec in request.waypoints
        if spec.place or spec.facing
    ]
    if not asked:
        return None
    start = first_frame(request.frame_start, scene)
    with_object = skeleton.names[0] == OBJECT_JOINT
    return read_waypoints(asked, request.armature, scene, with_object, skeleton.up, start)


def same_direction(first: ResolvedConstraints, second: ResolvedConstraints) -> bool:
    """Return whether two results have the same parts and constraints, value for value."""
    mine, theirs = ((resolved.parts, resolved.given_frames, resolved.constraints) for resolved in (first, second))
    return same_values(mine, theirs)
