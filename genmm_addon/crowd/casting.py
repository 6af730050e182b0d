# SPDX-License-Identifier: GPL-3.0-or-later
"""Casting of a crowd: each agent's motion, first frame and direction, and the paths that follow from them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core import Float64, Int64, rotations
from .trails import Trail


@dataclass(frozen=True, eq=False)
class Casting:
    """The motions of N agents: clips `(N,)`, phases `(N,)` (the first frame of each), and directions of setting out.

    directions: `(N,)` in radians from the world's X.
    """

    clips: Int64
    phases: Int64
    directions: Float64

    def of(self, agents: Int64) -> "Casting":
        """Return the casting of a subset of the agents."""
        return Casting(self.clips[agents], self.phases[agents], self.directions[agents])

    def changed(self, agents: Int64, other: "Casting") -> "Casting":
        """Return the casting in which these agents have the motions of `other`."""
        clips, phases, directions = self.clips.copy(), self.phases.copy(), self.directions.copy()
        clips[agents], phases[agents], directions[agents] = other.clips, other.phases, other.directions
        return Casting(clips, phases, directions)


@dataclass(frozen=True, eq=False)
class Repertoire:
    """The C motions that a crowd can play, each of length L, as they move over the ground.

    ground: `(C, L, 2)` positions. reach: `(C, L)` how far the skin extends from there. headings: `(C, L)` the direction
    of setting out from each frame. visible_frames: number of frames that are seen. repeats: whether a motion continues
    from its end, round after round from its last place.
    """

    ground: Float64
    reach: Float64
    headings: Float64
    visible_frames: int
    repeats: bool

    @classmethod
    def of(cls, trails: Sequence[Trail], visible_frames: int, repeats: bool) -> "Repertoire":
        """Return the repertoire of motions with the given trails."""
        ground = np.stack([trail.ground for trail in trails])
        reach, directions = (np.stack([getattr(trail, name) for trail in trails]) for name in ("reach", "directions"))
        return cls(ground, reach, directions, visible_frames, repeats)

    @property
    def starts(self) -> int:
        """Return the number of frames at which a motion can begin."""
        length: int = self.ground.shape[1]
        return length - 1 if self.repeats else length - self.visible_frames + 1

    @property
    def frames_that_differ(self) -> int:
        """Return the number of distinct frames: one round of a loop in place, otherwise all visible frames."""
        length: int = self.ground.shape[1]
        rounds_move = np.abs(self.ground[:, -1] - self.ground[:, 0]).max() > 1e-6 * np.ptp(self.ground, axis=1).max()
        return min(self.visible_frames, length - 1) if self.repeats and not rounds_move else self.visible_frames

    def turns(self, casting: Casting) -> Float64:
        """Return the angle `(N,)` by which each agent's motion is turned about the vertical, in radians."""
        return np.asarray(casting.directions - self.headings[casting.clips, casting.phases])

    def paths(self, casting: Casting, positions: Float64, frames: Int64) -> Float64:
        """Return the agents' positions on the ground and reaches `(N, S, 3)` at the frames `(S,)` after their first.

        positions: `(N, 2)` at the start.
        """
        clips, at = casting.clips[:, None], casting.phases[:, None] + frames
        if self.repeats:
            length = self.ground.shape[1] - 1
            ahead = (at // length)[..., None] * (self.ground[:, -1] - self.ground[:, 0])[clips]
            at = at % length
            gone = self.ground[clips, at] + ahead
        else:
            gone = self.ground[clips, at]
        gone = gone - self.ground[casting.clips, casting.phases][:, None]
        turned = rotations.turn_on_ground(gone, self.turns(casting)[:, None])
        return np.concatenate((turned + positions[:, None], self.reach[clips, at][..., None]), axis=-1)
