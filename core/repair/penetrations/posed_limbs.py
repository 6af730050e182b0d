# SPDX-License-Identifier: GPL-3.0-or-later
"""Capsules that follow the turns of a limb, without forward kinematics of the body for each push that is tried."""

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Float64, Int64
from ...environment.reach.limbs import Limb, elbow_hinge
from ...evaluation.body.capsules import Capsules, nearest_between
from ...feet.two_bone_ik import Leg
from ...motion import rotations
from ...motion.motion import Motion
from ...transfer.self_contacts.arms import turns_to_reach


@dataclass(frozen=True, eq=False)
class PosedLimb:
    """A limb over T frames before it is pushed, and the numbers of the capsules that follow its hip, knee and wrist."""

    leg: Leg
    hinge: Float64
    followers: tuple[Int64, Int64, Int64]

    @staticmethod
    def of(motion: Motion, limb: Limb, capsules: Capsules) -> "PosedLimb":
        """Return a limb of a motion with its capsules, and those of what hangs from it."""
        leg, skeleton = limb.posed(motion, rigid=False), motion.skeleton
        below = [skeleton.descendants(joint)[capsules.carriers] for joint in (limb.hip, limb.knee, limb.wrist)]
        hip, knee, wrist = (np.flatnonzero(mask) for mask in (below[0] & ~below[1], below[1] & ~below[2], below[2]))
        return PosedLimb(leg, elbow_hinge(leg), (hip, knee, wrist))

    @property
    def places(self) -> Float64:
        """Return the places `(3, T, 3)` of hip, knee and wrist."""
        return np.stack([self.leg.positions[:, place] for place in (self.leg.hip, self.leg.knee, self.leg.end)])

    def pushed(self, axes: Float64, moves: Float64, swings: Float64, weights: Float64) -> tuple[Float64, Float64]:
        """Return capsules' axes `(2, T, C, 3)` and the limb's places `(3, T, 3)` after a push; axes: before it.

        moves, swings, weights: see `reach_with`, which makes the same motion of them.
        """
        changed = np.flatnonzero(weights > 0)
        leg, axes, places = self.leg.at(changed), axes.copy(), self.places
        turns = turns_to_reach(leg, self.hinge, moves[changed], weights[changed], swings[changed])
        hip, knee, wrist = places[:, changed]
        after_bend = knee + rotations.rotate(turns.bend, wrist - knee)
        shin = rotations.multiply(turns.aim, turns.bend)
        goals = hip, hip + rotations.rotate(turns.aim, knee - hip), hip + rotations.rotate(turns.aim, after_bend - hip)
        places[:, changed] = goals
        for followers, turn, old, new in zip(self.followers, (turns.aim, shin), (hip, knee), goals, strict=False):
            if len(followers):
                vectors = axes[:, changed[:, None], followers] - old[:, None]
                axes[:, changed[:, None], followers] = new[:, None] + rotations.rotate(turn[:, None], vectors)
        axes[:, changed[:, None], self.followers[2]] += (goals[2] - wrist)[:, None]
        return axes, places


@dataclass(frozen=True, eq=False)
class NearPairs:
    """The pairs of capsules `(P, 2)` whose surroundings meet at any frame, and their nearest places.

    shares: `(2, T, P)` along both axes. offsets: `(T, P, 3)` to the first, and their lengths `(T, P)`. allowed:
    `(T, P)` the distances at which they are as deep in each other as usual.
    """

    pairs: Int64
    shares: Float64
    offsets: Float64
    distances: Float64
    allowed: Float64

    @staticmethod
    def of(axes: Float64, capsules: Capsules, usual: Float64) -> "NearPairs":
        """Return the near pairs of capsules whose axes are at `(2, T, C, 3)`; usual: `(P,)` depths."""
        first, second = capsules.pairs.T
        centers, halves = axes.mean(axis=0), rotations.lengths(axes[1] - axes[0]).max(axis=0) / 2
        around = halves + capsules.radii.max(axis=1)
        separations = rotations.lengths(centers[:, first] - centers[:, second]).min(axis=0)
        near = separations < around[first] + around[second]
        close = replace(capsules, pairs=capsules.pairs[near])
        shares, offsets = nearest_between(axes[0], axes[1], close.pairs)
        distances = np.asarray(rotations.lengths(offsets), np.float64)
        return NearPairs(close.pairs, shares, offsets, distances, close.widths(shares) - usual[near])
