# SPDX-License-Identifier: GPL-3.0-or-later
"""Matching of two skeletons' joints: by the shapes of their bodies, with names as a hint of adjustable trust."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...motion.motion import Motion
from ...motion.skeleton import Skeleton
from ..bone_names import RIGIFY_HIPS, TRUNK, match_names, meanings_by_name, numbered_names, swaying_controls
from ..roles import pairs_by_role
from .body import Body, find_body
from .carrying import is_carried
from .chains import match_chains
from .equal_shapes import equal_joints
from .matching import Found, match_parts, with_joints_in_place, with_small_branches
from .named_sides import tells_sides, with_exchanged_names, with_named_sides
from .tree import LIMB

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
    with props and snakes, and the source's legs among them if it has any; or the user paired joints. exchanged: whether
    left and right are exchanged in the names of one of the skeletons, whose shape was followed.

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


@dataclass(frozen=True)
class _Settled:
    """Joints, by number, that neither names nor shapes may match otherwise.

    pairs: of source and target, from the user and from known skeletons. alone: joints of the source, and of the target,
    that the user left without a counterpart.
    """

    pairs: Mapping[int, int]
    alone: tuple[frozenset[int], frozenset[int]]

    def leaves(self, joint: int, counterpart: int) -> bool:
        """Return whether both joints are still to be matched."""
        return joint not in self.sources and counterpart not in self.targets

    @cached_property
    def sources(self) -> Set[int]:
        """The settled joints of the source."""
        return self.pairs.keys() | self.alone[0]

    @cached_property
    def targets(self) -> Set[int]:
        """The settled joints of the target."""
        return {*self.pairs.values()} | self.alone[1]


def _match_joints(
    source: Skeleton,
    target: Skeleton,
    motions: Sequence[Motion],
    target_motions: Sequence[Motion],
    given: tuple[tuple[str, str], ...],
    trust: float,
) -> JointMatch:
    roles = pairs_by_role(source, target) if trust > 0 else {}
    settled = _settle(source, target, given, roles)
    named = _pairs_by_name(source, target, settled) if trust > 0 else {}
    is_family = trust > 0 and _is_same_family(source, target, {**named, **settled.pairs})
    is_same = is_family and _rests_similarly(source, target)
    equal = {} if is_family or any(settled.alone) else equal_joints(source, target)
    if equal and {**named, **settled.pairs}.items() <= equal.items():
        return _match(source, target, _surely(equal), True)
    body = None if is_same else find_body(source, motions)
    other = None if is_same else find_body(target, target_motions)
    if body is None:
        match = _match_by_names(source, target, settled, named, trust, is_known=bool(roles))
        is_limbless = not is_same and other is None
        found = match_chains(source, target) if is_limbless and not match.pairs and not given else {}
        return _match(source, target, found, False) if found else match
    if trust > 0 and other is not None:
        ends = with_exchanged_names(body), with_exchanged_names(other)
        is_clear = not is_family or (tells_sides(body) and tells_sides(other))
        if trust < 1 and is_clear and (ends[0] is None) != (ends[1] is None):
            return _match_renamed((source, target), ends, motions, target_motions, given, trust)
        body, other = with_named_sides(body), with_named_sides(other)
    if other is not None and not is_family and _is_one_kind(body, other):
        match = _match_by_shapes((body, other), settled, named, trust)
    else:
        match = _match_by_names(source, target, settled, named, trust, is_known=bool(roles))
        # Names of arms do not make forelegs arms.
        is_named = (is_family or roles) and not any(each.stands_on_four for each in (body, other) if each)
        if other is not None and not is_named and not _is_one_kind(body, other):
            return replace(match, fits=False)
    is_fit = match.fits and is_carried(body, target, other, match.names, is_named=trust > 0)
    return replace(match, fits=is_fit)


def _settle(source: Skeleton, target: Skeleton, given: Sequence[tuple[str, str]], roles: Mapping[str, str]) -> _Settled:
    """Return the joints settled by pairs of names: those that the user gave, then roles of joints that these leave."""
    sources, targets = _numbers(source), _numbers(target)
    alone = (
        frozenset(sources[name] for name, counterpart in given if name in sources and not counterpart),
        frozenset(targets[counterpart] for name, counterpart in given if counterpart in targets and not name),
    )
    settled = _Settled({sources[a]: targets[b] for a, b in given if a and b and a in sources and b in targets}, alone)
    by_role = {sources[name]: targets[counterpart] for name, counterpart in roles.items()}
    left = {joint: counterpart for joint, counterpart in by_role.items() if settled.leaves(joint, counterpart)}
    return _Settled({**settled.pairs, **left}, alone)


def _pairs_by_name(source: Skeleton, target: Skeleton, settled: _Settled) -> dict[int, int]:
    """Return the joints whose names have the same meaning, of those that are left."""
    without = tuple(
        {name for joint, name in enumerate(skeleton.names) if not name or joint in joints}
        for skeleton, joints in ((source, settled.sources), (target, settled.targets))
    )
    pairs = match_names(source.names, target.names, without=(without[0], without[1]))
    sources, targets = _numbers(source), _numbers(target)
    return {sources[name]: targets[counterpart] for name, counterpart in pairs.items()}


def _numbers(skeleton: Skeleton) -> dict[str, int]:
    """Return the joints by name."""
    return {name: joint for joint, name in enumerate(skeleton.names)}


def _match_by_names(
    source: Skeleton,
    target: Skeleton,
    settled: _Settled,
    named: Mapping[int, int],
    trust: float,
    *,
    is_known: bool,
) -> JointMatch:
    """Return the match without shapes; is_known: both are known skeletons, whose names are enough."""
    found = {joint: (counterpart, max(trust, TRUST)) for joint, counterpart in named.items()}
    return _match(source, target, {**found, **_surely(settled.pairs)}, is_known)


def _match_by_shapes(
    bodies: tuple[Body, Body], settled: _Settled, named: Mapping[int, int], trust: float
) -> JointMatch:
    """Return the match of bodies of one kind, with names where they are more certain than the shapes."""
    source, target = (body.tree.skeleton for body in bodies)
    without_meaning = [numbered_names(each.names) for each in (source, target)]
    named = {
        joint: counterpart
        for joint, counterpart in named.items()
        if source.names[joint] not in without_meaning[0] and target.names[counterpart] not in without_meaning[1]
    }
    swaying = [set(swaying_controls(skeleton.names)) if trust > 0 else set() for skeleton in (source, target)]
    shaped = {
        joint: pair
        for joint, pair in with_joints_in_place(*bodies, match_parts(*bodies)).items()
        if settled.leaves(joint, pair[0])
        and source.names[joint] not in swaying[0]
        and target.names[pair[0]] not in swaying[1]
    }
    if any(swaying):
        shaped = _with_torso(shaped, bodies, swaying, settled)
    meanings = meanings_by_name(source.names)
    # Names along a trunk only count its joints.
    chosen = {
        joint: counterpart
        for joint, counterpart in named.items()
        if meanings[source.names[joint]].name not in TRUNK and _doubt(joint, counterpart, shaped) < trust
    }
    agreed = {joint: counterpart for joint, counterpart in chosen.items() if shaped.get(joint, (-1,))[0] == counterpart}
    shaped = {joint: pair for joint, pair in shaped.items() if joint not in chosen and pair[0] not in chosen.values()}
    found = _surely(settled.pairs)
    if trust >= 1:
        found.update({joint: (counterpart, trust) for joint, counterpart in named.items()})
    _fill(found, shaped.items(), *bodies)
    by_name = {**agreed, **chosen, **named}
    _fill(found, ((joint, (counterpart, trust)) for joint, counterpart in by_name.items()), *bodies)
    # On rigs of animals, controls of other kinds hang where branches do.
    is_plain = all(body.is_upright or not body.is_rig for body in bodies)
    branched = with_small_branches(*bodies, found) if is_plain else found
    kept = {
        joint: pair
        for joint, pair in branched.items()
        if joint not in settled.alone[0] and pair[0] not in settled.alone[1]
    }
    return _match(source, target, kept, True)


def _with_torso(shaped: Found, bodies: tuple[Body, Body], swaying: Sequence[Set[str]], settled: _Settled) -> Found:
    """Return pairs of joints in which Rigify's torso, if a body has it, is the hips; swaying: see swaying_controls."""
    hips = [
        body.tree.skeleton.names.index(RIGIFY_HIPS) if controls else body.hips
        for body, controls in zip(bodies, swaying, strict=True)
    ]
    if not settled.leaves(*hips):
        return shaped
    taken = [{body.hips, joint} for body, joint in zip(bodies, hips, strict=True)]
    others = {one: pair for one, pair in shaped.items() if one not in taken[0] and pair[0] not in taken[1]}
    return {**others, hips[0]: (hips[1], 1.0)}


def _surely(pairs: Mapping[int, int]) -> Found:
    """Return pairs of joints with full confidence."""
    return {joint: (counterpart, 1.0) for joint, counterpart in pairs.items()}


def _match_renamed(
    skeletons: tuple[Skeleton, Skeleton],
    renamed: tuple[Skeleton | None, Skeleton | None],
    motions: Sequence[Motion],
    target_motions: Sequence[Motion],
    given: tuple[tuple[str, str], ...],
    trust: float,
) -> JointMatch:
    """Return the match of two skeletons, one of them with other names, by the names that both have."""
    source, target = (other or own for own, other in zip(skeletons, renamed, strict=True))
    both = zip(skeletons, (source, target), strict=True)
    new = [dict(zip(own.names, other.names, strict=True)) for own, other in both]
    # Exchanging twice gives the own names.
    renamed_pairs = tuple((new[0].get(name, name), new[1].get(counterpart, counterpart)) for name, counterpart in given)
    match = _match_joints(source, target, motions, target_motions, renamed_pairs, trust)
    found = tuple(JointPair(new[0][x.source], new[1][x.target], x.confidence) for x in match.pairs)
    return JointMatch(found, match.fits, True)


def _is_same_family(source: Skeleton, target: Skeleton, pairs: Mapping[int, int]) -> bool:
    """Return whether all joints of one skeleton have their names on the other, below the same joints."""
    few, many = sorted((source, target), key=lambda skeleton: len(skeleton.names))
    place = _numbers(many)
    if not set(few.names) <= place.keys() or any(
        source.names[joint] != target.names[other] for joint, other in pairs.items()
    ):
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


def _is_one_kind(source: Body, target: Body) -> bool:
    """Return whether both bodies are upright, both stand on four legs, or both on more."""
    return source.is_upright == target.is_upright and (source.standing_pairs > 2) == (target.standing_pairs > 2)


def _doubt(joint: int, counterpart: int, parts: Found) -> float:
    """Return the largest confidence in other pairs with one of two joints; 0 if there are none."""
    others = [pair[1] for other, pair in parts.items() if (other == joint) != (pair[0] == counterpart)]
    return max(others, default=0.0)


def _fill(found: Found, pairs: Iterable[tuple[int, tuple[int, float]]], source: Body, target: Body) -> None:
    """Add those of the pairs whose joints are free and in the order of the pairs found so far along their chains."""
    taken = {counterpart for counterpart, _ in found.values()}
    for joint, (counterpart, confidence) in pairs:
        is_free = joint not in found and counterpart not in taken
        if is_free and _keeps_order(joint, counterpart, found, source, target):
            found[joint] = counterpart, confidence
            taken.add(counterpart)


def _keeps_order(joint: int, counterpart: int, found: Found, source: Body, target: Body) -> bool:
    """Return whether the counterparts of joints before the first, and of those after it in a limb, keep their order."""
    before = [found[above][0] for above in source.from_hips(joint)[:-1] if above in found]
    if any(counterpart in target.from_hips(other)[:-1] for other in before):
        return False
    pairs = {first: second for first, (second, _) in found.items()}
    inverse = {second: first for first, second in pairs.items()}
    return _stays_in_limb(joint, counterpart, pairs, source, target) and _stays_in_limb(
        counterpart, joint, inverse, target, source
    )


def _stays_in_limb(joint: int, counterpart: int, pairs: Mapping[int, int], source: Body, target: Body) -> bool:
    """Return whether the second joint is in the limb of the counterparts of those beyond the first in its limb.

    The aim of a knee's inverse kinematics, which is outside the leg, is no part of the shin.
    """
    beyond = [below for limb in _limbs_at(joint, source) for below in limb[limb.index(joint) + 1 :] if below in pairs]
    ends = {pairs[below] for below in beyond}
    return all(counterpart in limb for end in ends for limb in _limbs_at(end, target))


def _limbs_at(joint: int, body: Body) -> list[tuple[int, ...]]:
    """Return the joints of the limbs that contain a joint."""
    return [limb.joints for pair in body.pairs for limb in pair if joint in limb.joints]


def _match(source: Skeleton, target: Skeleton, found: Found, is_body: bool) -> JointMatch:
    pairs = [
        JointPair(source.names[joint], target.names[counterpart], confidence)
        for joint, (counterpart, confidence) in sorted(found.items())
    ]
    named = tuple(pair for pair in pairs if pair.source and pair.target)
    return JointMatch(named, is_body or 2 * len(named) >= min(len(source.names), len(target.names)))
