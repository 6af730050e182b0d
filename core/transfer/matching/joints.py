# SPDX-License-Identifier: GPL-3.0-or-later
"""Matching of two skeletons' joints: by the shapes of their bodies, with names as a hint of adjustable trust."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...motion.motion import Motion
from ...motion.skeleton import Skeleton
from ..bone_names import TRUNK, match_names, meanings_by_name, numbered_names, swaying_controls
from ..mirroring.side_names import partners_by_name
from ..roles import pairs_by_role
from .body import Body, find_body
from .matching import Found, match_parts, with_small_branches
from .tree import LIMB, NEAR

TRUST = 0.5
"""Default trust in names. Shapes are right more often: names of a spine are numbered in any way, and a shoulder may be
a clavicle or an upper arm."""


@dataclass(frozen=True)
class JointPair:
    """A joint of the source, the target's joint that does its work, and the confidence in both, from 0 to 1."""

    source: str
    target: str
    confidence: float

    @property
    def is_sure(self) -> bool:
        """Return whether the confidence is at least that of names alone."""
        return self.confidence >= TRUST


@dataclass(frozen=True)
class JointMatch:
    """Pairs of joints, in the source's order, and whether they are enough to transfer a motion.

    fits: whether trunk and legs have counterparts by their shapes, or half of the joints of the smaller skeleton do, as
    with props and snakes, or the user paired joints. exchanged: whether left and right are exchanged in the names of
    one of the skeletons, whose shape was followed.

    >>> isinstance(match_joints(skeleton, skeleton), JointMatch)
    True
    """

    pairs: tuple[JointPair, ...]
    fits: bool
    exchanged: bool = False

    @property
    def names(self) -> dict[str, str]:
        """Return the names of the target's joints by those of the source's."""
        return {pair.source: pair.target for pair in self.pairs}

    @property
    def notes(self) -> tuple[str, ...]:
        """Return a note for the user if names contradict the shapes."""
        return (
            "Left and right are exchanged in the bones' names of one skeleton; its shape counted.",
        ) * self.exchanged


def match_joints(
    source: Skeleton,
    target: Skeleton,
    *,
    motions: Sequence[Motion] = (),
    target_motions: Sequence[Motion] = (),
    given: Iterable[tuple[str, str]] = (),
    trust: float = TRUST,
) -> JointMatch:
    """Return the joints of both skeletons that do the same work; each occurs at most once.

    motions, target_motions: on the two skeletons, for rest poses that are not plausible. given: pairs of names that the
    user made, which are kept; an empty name says that the other joint has no counterpart. trust: in names, from 0 for
    none to 1 for names alone where there are any; in between, the names of two joints count if the confidence in other
    pairs with them is lower.

    >>> match_joints(skeleton, skeleton).names
    {'hips': 'hips', 'leg': 'leg'}
    """
    pairs = tuple(given)
    match = _match_joints(source, target, motions, target_motions, pairs, trust)
    if match.fits or not pairs:
        return match
    without = _match_joints(source, target, motions, target_motions, (), trust)
    return replace(match, fits=bool(match.names.items() - without.names.items()))


def _match_joints(
    source: Skeleton,
    target: Skeleton,
    motions: Sequence[Motion],
    target_motions: Sequence[Motion],
    pairs: tuple[tuple[str, str], ...],
    trust: float,
) -> JointMatch:
    own, other = ({name: joint for joint, name in enumerate(each.names)} for each in (source, target))
    table = {own[one]: other[two] for one, two in pairs if one and two and one in own and two in other}
    lonely = {own.get(one, -1) for one, two in pairs if not two}, {other.get(two, -1) for one, two in pairs if not one}
    settled, settled_there = {*table, *lonely[0]}, {*table.values(), *lonely[1]}
    roles = pairs_by_role(source, target) if trust > 0 else {}
    if roles:
        by_role = ((own[one], other[two]) for one, two in roles.items())
        table |= {one: two for one, two in by_role if one not in settled and two not in settled_there}
        settled, settled_there = {*table, *lonely[0]}, {*table.values(), *lonely[1]}
    without = (
        {name for name, joint in own.items() if not name or joint in settled},
        {name for name, joint in other.items() if not name or joint in settled_there},
    )
    pairs_by_name = match_names(source.names, target.names, without=without) if trust > 0 else {}
    named = {own[one]: other[two] for one, two in pairs_by_name.items()}
    found: Found = {one: (two, 1.0) for one, two in table.items()}
    is_family = trust > 0 and _is_same_family(source, target, {**named, **table})
    bodies = (
        None if is_family and _rests_similarly(source, target) else _bodies(source, target, motions, target_motions)
    )
    if bodies is not None and trust > 0:
        ends = _with_exchanged_names(bodies[0]), _with_exchanged_names(bodies[1])
        if trust < 1 and (ends[0] is None) != (ends[1] is None):
            return _match_renamed((source, target), ends, motions, target_motions, pairs, trust)
        bodies = _with_named_sides(bodies[0]), _with_named_sides(bodies[1])
    if bodies is None or is_family or not _is_one_kind(*bodies):
        by_name = {**{one: (two, max(trust, TRUST)) for one, two in named.items()}, **found}
        match = _match(source, target, by_name, bool(roles))
        if bodies is None or _is_one_kind(*bodies):
            return match
        # Names of arms do not make forelegs arms.
        is_named = (is_family or roles) and not any(body.stands_on_four for body in bodies)
        return match if is_named else replace(match, fits=False)
    empty, empty_there = numbered_names(source.names), numbered_names(target.names)
    named = {
        one: two
        for one, two in named.items()
        if source.names[one] not in empty and target.names[two] not in empty_there
    }
    ways, ways_there = (set(swaying_controls(each.names)) if trust > 0 else set() for each in (source, target))
    parts = {
        one: pair
        for one, pair in match_parts(*bodies).items()
        if one not in settled
        and pair[0] not in settled_there
        and source.names[one] not in ways
        and target.names[pair[0]] not in ways_there
    }
    meanings = meanings_by_name(source.names)
    # Names along a trunk only count its joints.
    chosen = {
        one: two
        for one, two in named.items()
        if meanings[source.names[one]].name not in TRUNK and _doubt(one, two, parts) < trust
    }
    agreed = {one: two for one, two in chosen.items() if one in parts and parts[one][0] == two}
    parts = {one: pair for one, pair in parts.items() if one not in chosen and pair[0] not in chosen.values()}
    if trust >= 1:
        found.update({one: (two, trust) for one, two in named.items()})
    _fill(found, parts.items(), *bodies)
    _fill(found, ((one, (two, trust)) for one, two in {**agreed, **chosen, **named}.items()), *bodies)
    branched = with_small_branches(*bodies, found)
    kept = {one: pair for one, pair in branched.items() if one not in lonely[0] and pair[0] not in lonely[1]}
    return _match(source, target, kept, True)


def _match_renamed(
    skeletons: tuple[Skeleton, Skeleton],
    renamed: tuple[Skeleton | None, Skeleton | None],
    motions: Sequence[Motion],
    target_motions: Sequence[Motion],
    pairs: tuple[tuple[str, str], ...],
    trust: float,
) -> JointMatch:
    """Return the match of two skeletons, one of them with other names, by the names that both have."""
    source, target = (other or own for own, other in zip(skeletons, renamed, strict=True))
    new = [
        dict(zip(own.names, other.names, strict=True)) for own, other in zip(skeletons, (source, target), strict=True)
    ]
    # Exchanging twice gives the own names.
    given = tuple((new[0].get(one, one), new[1].get(two, two)) for one, two in pairs)
    match = _match_joints(source, target, motions, target_motions, given, trust)
    found = tuple(JointPair(new[0][x.source], new[1][x.target], x.confidence) for x in match.pairs)
    return JointMatch(found, match.fits, True)


def _is_same_family(source: Skeleton, target: Skeleton, pairs: Mapping[int, int]) -> bool:
    """Return whether all joints of one skeleton have their names on the other, below the same joints."""
    few, many = sorted((source, target), key=lambda skeleton: len(skeleton.names))
    place = {name: joint for joint, name in enumerate(many.names)}
    if not set(few.names) <= place.keys() or any(source.names[one] != target.names[two] for one, two in pairs.items()):
        return False
    return all(
        parent < 0 or place[few.names[parent]] in many.chain(place[few.names[joint]])
        for joint, parent in enumerate(few.parents.tolist())
    )


def _rests_similarly(source: Skeleton, target: Skeleton) -> bool:
    """Return whether two skeletons have the same names in similar places at rest."""
    if source.names != target.names:
        return False
    away = source.rest_positions / source.size - target.rest_positions / target.size
    return bool(np.linalg.norm(away, axis=1).max() < LIMB)


def _bodies(
    source: Skeleton,
    target: Skeleton,
    motions: Sequence[Motion],
    target_motions: Sequence[Motion],
) -> tuple[Body, Body] | None:
    body = find_body(source, motions)
    other = None if body is None else find_body(target, target_motions)
    return None if body is None or other is None else (body, other)


def _is_one_kind(source: Body, target: Body) -> bool:
    """Return whether both bodies are upright, both stand on four legs, or both on more."""
    return source.is_upright == target.is_upright and (source.standing_pairs > 2) == (target.standing_pairs > 2)


def _with_named_sides(body: Body) -> Body:
    """Return the body with left and right exchanged if more names say so than not."""
    count, against = _named_sides(body)
    body = body.mirrored() if 2 * against > count else body
    return replace(body, facing=np.inf) if count and 2 * against != count else body


def _named_sides(body: Body) -> tuple[int, int]:
    """Return how many names of joints in limbs tell a side, and how many of these the other one."""
    names = body.tree.skeleton.names
    meanings = meanings_by_name(names)
    sides = [
        (meanings[names[joint]].side, side)
        for pair in body.pairs
        for side, limb in zip("LR", pair, strict=True)
        for joint in limb.joints
    ]
    return sum(bool(named) for named, _ in sides), sum(named != side for named, side in sides if named)


def _with_exchanged_names(body: Body) -> Skeleton | None:
    """Return the skeleton with left and right exchanged in its names if its shape says so clearly, else None.

    Most names of limbs tell the wrong side, and feet point forward, or the trunk does on four legs.
    """
    count, against = _named_sides(body)
    if 2 * against <= count or body.facing < NEAR or (body.is_upright and not body.feet_point_forward):
        return None
    skeleton = body.tree.skeleton
    names = tuple(skeleton.names[partner] for partner in partners_by_name(skeleton.names))
    renamed = replace(skeleton, names=names)
    count, against = _named_sides(replace(body, tree=replace(body.tree, skeleton=renamed)))
    return renamed if 2 * against < count else None


def _doubt(one: int, two: int, parts: Found) -> float:
    """Return the largest confidence in other pairs with one of two joints; 0 if there are none."""
    others = [pair[1] for joint, pair in parts.items() if (joint == one) != (pair[0] == two)]
    return max(others, default=0.0)


def _fill(found: Found, pairs: Iterable[tuple[int, tuple[int, float]]], source: Body, target: Body) -> None:
    """Add those of the pairs whose joints are free and in the order of the pairs found so far along their chains."""
    taken = {two for two, _ in found.values()}
    for one, (two, confidence) in pairs:
        if one not in found and two not in taken and _keeps_order(one, two, found, source, target):
            found[one] = two, confidence
            taken.add(two)


def _keeps_order(one: int, two: int, found: Found, source: Body, target: Body) -> bool:
    """Return whether the counterparts of joints before the first, and of those after it in a limb, keep their order."""
    between = [found[joint][0] for joint in source.from_hips(one)[:-1] if joint in found]
    if any(two in target.from_hips(joint)[:-1] for joint in between):
        return False
    found_there = {other: joint for joint, (other, _) in found.items()}
    return _stays_in_limb(one, two, {joint: other for other, joint in found_there.items()}, source, target) and (
        _stays_in_limb(two, one, found_there, target, source)
    )


def _stays_in_limb(one: int, two: int, pairs: Mapping[int, int], source: Body, target: Body) -> bool:
    """Return whether the second joint is in the limb of the counterparts of those beyond the first in its limb.

    The aim of a knee's inverse kinematics, which is outside the leg, is no part of the shin.
    """
    ends = {pairs[joint] for limb in _limbs_at(one, source) for joint in limb[limb.index(one) + 1 :] if joint in pairs}
    return all(two in limb for end in ends for limb in _limbs_at(end, target))


def _limbs_at(joint: int, body: Body) -> list[tuple[int, ...]]:
    """Return the joints of the limbs that contain a joint."""
    return [limb.joints for pair in body.pairs for limb in pair if joint in limb.joints]


def _match(source: Skeleton, target: Skeleton, found: Found, is_body: bool) -> JointMatch:
    pairs = [JointPair(source.names[one], target.names[two], sure) for one, (two, sure) in sorted(found.items())]
    named = tuple(pair for pair in pairs if pair.source and pair.target)
    return JointMatch(named, is_body or 2 * len(named) >= min(len(source.names), len(target.names)))
