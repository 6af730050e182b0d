# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs of a control rig, found from its constraints: the visible bones, and the controls that move them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from bpy.types import CopyRotationConstraint, CopyTransformsConstraint, KinematicConstraint, Object, PoseBone

COPYING = (CopyTransformsConstraint, CopyRotationConstraint)
"""Constraints with which a visible bone follows a control, or a bone turned by inverse kinematics."""
FOLLOWS = 1e-3
"""Largest difference of the axes of two bones, as unit vectors, and of places, in sizes, at which one follows the
other."""
LARGEST_MISS = 0.01
"""Largest distance that a rig may keep a limb from its place or its control, as a share of the size."""
ROUNDS = 8
"""Most rounds of writing keys: controls may depend on each other through constraints, up to so deep in rigs."""
PROBES = 6
"""Number of frames, evenly spread or of the largest movement, at which assumptions about a rig are tested."""
JOINED = 0.05
"""Largest distance of a foot's head from the shin's tail, as a share of the shin's length."""
TOE_JOINED = 0.5
"""Largest distance of a toe's head from the foot's tail, as a share of the foot's length."""


@dataclass(frozen=True)
class RigLimb:
    """A limb that inverse kinematics can turn.

    bones: the visible ones, from the first to the end of the limb, a foot or a hand. tip: the bone after the end, such
    as toes; "" without one. solved: the bones that inverse kinematics turns, one for each of `bones` but the last.
    forward: the controls of forward kinematics by the bones that follow them. carriers: the target of inverse
    kinematics and the bones above it, nearest first.

    >>> RigLimb(("thigh", "shin", "foot"), "toe", ("thigh", "shin"), {}, ("foot_ik",)).ankle
    'foot'
    """

    bones: tuple[str, ...]
    tip: str
    solved: tuple[str, ...]
    forward: Mapping[str, str]
    carriers: tuple[str, ...]

    @property
    def ankle(self) -> str:
        """Return the bone that the target of inverse kinematics holds."""
        return self.bones[-1]


def find_rig_limbs(character: Object) -> list[RigLimb]:
    """Return the limbs of at least two bones that inverse kinematics turns, in the order of the bones."""
    limbs: dict[str, RigLimb] = {}
    solvers = list(_solvers(character))
    aims = {end.name: target for end, target, _ in solvers}
    for end, target, count in solvers:
        chain = [end, *end.parent_recursive][:count][::-1]
        seen = _followers_of(character, chain) or chain
        foot = _foot_of(character, seen[-1], target)
        if foot is None or end.name in limbs:
            continue
        carriers = _carriers_of(target, aims)
        excluded = {bone.name for bone in (*chain, *carriers)}
        bones = (*seen, foot)
        forward = {bone.name: name for bone in bones for name in _copied(character, bone) if name not in excluded}
        limbs[end.name] = RigLimb(
            tuple(bone.name for bone in bones),
            _tip_of(foot),
            tuple(bone.name for bone in chain),
            MappingProxyType(forward),
            tuple(bone.name for bone in carriers),
        )
    return list(limbs.values())


def _carriers_of(target: PoseBone, aims: Mapping[str, PoseBone]) -> list[PoseBone]:
    """Return a target and the bones that carry it, nearest first: where kinematics turn one, what carries their target.

    The heel of Rigify's paws is on a chain of its own that reaches for the toes. aims: the targets by the last bones of
    chains.
    """
    carriers = [target]
    while (above := aims.get(carriers[-1].name, carriers[-1].parent)) is not None and above not in carriers:
        carriers.append(above)
    return carriers


def keyed_carrier(character: Object, limb: RigLimb) -> str:
    """Return the control that an animator would key: the highest one with a custom shape, or else the target."""
    shaped = [name for name in limb.carriers if character.pose.bones[name].custom_shape is not None]
    return shaped[-1] if shaped else limb.carriers[0]


def _solvers(character: Object) -> Iterator[tuple[PoseBone, PoseBone, int]]:
    """Yield the last bone, the target and the number of bones of each chain."""
    bones = character.pose.bones
    for bone in bones:
        for constraint in bone.constraints:
            if not isinstance(constraint, KinematicConstraint) or constraint.mute or constraint.target != character:
                continue
            if constraint.subtarget in bones and constraint.chain_count >= 2:
                yield bone, bones[constraint.subtarget], constraint.chain_count


def _copied(character: Object, bone: PoseBone) -> list[str]:
    """Return the names of the bones that a bone copies, the last constraint first."""
    copying = [
        constraint
        for constraint in bone.constraints
        if isinstance(constraint, COPYING) and not constraint.mute and constraint.target == character
    ]
    return [constraint.subtarget for constraint in reversed(copying) if constraint.subtarget in character.pose.bones]


def _followers_of(character: Object, chain: Sequence[PoseBone]) -> list[PoseBone]:
    """Return the bones, each the parent of the next, that copy those of a chain; none where no bones do."""
    for last in character.pose.bones:
        if chain[-1].name not in _copied(character, last):
            continue
        followers = [last, *last.parent_recursive][: len(chain)][::-1]
        if len(followers) == len(chain) and all(
            solved.name in _copied(character, bone) for bone, solved in zip(followers, chain, strict=True)
        ):
            return followers
    return []


def _foot_of(character: Object, shin: PoseBone, target: PoseBone) -> PoseBone | None:
    """Return the bone at the tail of a chain: the one that copies the target, or else the longest."""
    near = [
        child
        for child in shin.children
        if (child.bone.head_local - shin.bone.tail_local).length <= JOINED * shin.bone.length
    ]
    by_rank: dict[tuple[bool, float], PoseBone]
    by_rank = {(target.name in _copied(character, bone), bone.bone.length): bone for bone in near}
    return by_rank[max(by_rank)] if by_rank else None


def _tip_of(foot: PoseBone) -> str:
    """Return the name of the bone that begins where a foot ends; "" without one."""
    distances = {child.name: (child.bone.head_local - foot.bone.tail_local).length for child in foot.children}
    nearest = min(distances, key=distances.__getitem__, default="")
    return nearest if nearest and distances[nearest] <= TOE_JOINED * foot.bone.length else ""
