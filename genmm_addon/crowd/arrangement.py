# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrangement of a crowd: the motion and location of each agent, without collisions; arrays only."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..character.skin import Skin
from ..core import Cancelled, Float64, InputError, Motion, Prepared, Synthesis, same_values
from ..core.motion import resample
from ..generation.generate import SceneReading
from .casting import Casting, Repertoire
from .places import AgentPlaces
from .request import CrowdLayout, Face
from .separation import Arrangement, MotionChange, Search, arrange, exchange, recast
from .trails import StandingGround, Trail, front_of, looks_of, trail_of


@dataclass(frozen=True, eq=False)
class CrowdReading:
    """The inputs of a crowd's arrangement: arrays and numbers only, fit for a thread.

    skin: of the character. start: the frame at which it begins. visible_frames: frames that are seen. repeats: whether
    the motions are loops.
    """

    ground: StandingGround
    skin: Skin
    face: Face
    start: float
    visible_frames: int
    repeats: bool

    def trail(self, motion: Motion, prepared: Prepared, looks: float) -> Trail:
        """Return the trail of a motion. looks: the angle to add to a heading for the direction in which it looks."""
        return trail_of(motion, prepared.root, self.skin, self.ground.space, looks)

    def is_as(self, other: "CrowdReading") -> bool:
        """Return whether the other has the same values, apart from the skin."""
        mine, its = (replace(reading, skin=self.skin) for reading in (self, other))
        return same_values(mine, its)


@dataclass(frozen=True, eq=False)
class Arranged:
    """A crowd's arrangement. matrices: `(N, 4, 4)`, from the character's place to each agent's, for its motion.

    visible_frames: frames of a motion that are seen. spacing: None if the layout has none.
    """

    casting: Casting
    matrices: Float64
    visible_frames: int
    spacing: float | None
    notes: tuple[str, ...]


def never_stopped() -> bool | None:
    """Return True, as a progress callback that never stops."""
    return True


def arrange_shared(
    stage: CrowdReading,
    reading: SceneReading,
    prepared: Prepared,
    syntheses: Sequence[Synthesis],
    progress: Callable[[], bool | None] = never_stopped,
) -> Arranged:
    """Arrange agents that share motions, each starting at its own frame.

    progress: called often; returning False stops. Raises InputError for loops that cannot be repeated, or Cancelled.
    """
    if any(synthesis.loop is not None and not synthesis.loop.closes for synthesis in syntheses):
        raise InputError("This motion turns too far to be repeated; use a loop in place, or disable Loop.")
    home = home_trail(stage, reading, prepared)
    trails = [stage.trail(synthesis.motion, prepared, home.looks) for synthesis in syntheses]
    visible_frames = stage.visible_frames if stage.repeats else min(stage.visible_frames, syntheses[0].motion.frames)
    repertoire = Repertoire.of(trails, visible_frames, stage.repeats)
    random, agents = np.random.default_rng((stage.ground.seed, 0)), stage.ground.agents
    phases = random.integers(0, repertoire.starts, agents)
    clips = random.permutation(np.arange(agents) % len(syntheses))
    casting = Casting(clips, phases, _directions(stage, home))
    moves = recast(any_way=stage.face is Face.RANDOM)
    return _arranged(stage, repertoire, casting, moves, reading.frames_per_second, progress)


def arrange_own(
    stage: CrowdReading,
    reading: SceneReading,
    home: Trail,
    trails: Sequence[Trail],
) -> Arranged:
    """Arrange agents with one motion each, with these trails; `casting.clips` assigns the motions to places."""
    agents = np.arange(len(trails))
    repertoire = Repertoire.of(trails, len(trails[0].ground), repeats=False)
    casting = Casting(agents, np.zeros(len(trails), np.int64), _directions(stage, home))
    return _arranged(stage, repertoire, casting, exchange, reading.frames_per_second, never_stopped)


def home_trail(stage: CrowdReading, reading: SceneReading, prepared: Prepared) -> Trail:
    """Return the trail of the first example, at the character's place."""
    space, root = stage.ground.space, prepared.root
    motions = reading.reading.motions
    looks = next((angle for motion in motions if (angle := looks_of(motion, root, space)) is not None), front_of(space))
    return stage.trail(resample(motions[0], reading.frames_per_second)[0], prepared, looks)


def _arranged(
    stage: CrowdReading,
    repertoire: Repertoire,
    casting: Casting,
    moves: MotionChange,
    frames_per_second: float,
    progress: Callable[[], bool | None],
) -> Arranged:
    def keep_on() -> None:
        if progress() is False:
            raise Cancelled()

    ground = stage.ground
    search = Search(repertoire, ground.size, np.random.default_rng((ground.seed, 3)), moves, keep_on)
    arrangement = arrange(search, ground, casting, frames_per_second)
    spaced = ground.layout in (CrowdLayout.GRID, CrowdLayout.SURFACE)
    return Arranged(
        arrangement.casting,
        _matrices(repertoire, arrangement.casting, arrangement.places, ground.height),
        repertoire.visible_frames,
        arrangement.scale * ground.own_spacing if spaced else None,
        _notes(arrangement),
    )


def _directions(stage: CrowdReading, home: Trail) -> Float64:
    """Return the direction `(N,)` in which each place's agent sets out."""
    if stage.face is Face.RANDOM:
        return np.random.default_rng((stage.ground.seed, 2)).uniform(-np.pi, np.pi, stage.ground.agents)
    places = stage.ground.places(1.0)
    if stage.face is Face.ALONG and places is not None and places.directions is not None:
        return places.directions
    return np.full(stage.ground.agents, home.directions[0])


def _matrices(repertoire: Repertoire, casting: Casting, places: AgentPlaces, height: float) -> Float64:
    """Return for each agent the matrix `(N, 4, 4)` that moves its motion from the world's coordinates to its place.

    height: of the ground on which the motion stands.
    """
    turns = repertoire.turns(casting)
    starts = repertoire.ground[casting.clips, casting.phases]
    made = np.tile(np.eye(4), (len(turns), 1, 1))
    made[:, 0, 0] = made[:, 1, 1] = np.cos(turns)
    made[:, 1, 0] = np.sin(turns)
    made[:, 0, 1] = -made[:, 1, 0]
    made[:, :2, 3] = places.positions[:, :2] - np.einsum("nab,nb->na", made[:, :2, :2], starts)
    made[:, 2, 3] = places.positions[:, 2] - height
    return made


def _notes(arrangement: Arrangement) -> tuple[str, ...]:
    near, agents = int(arrangement.too_near.sum()), len(arrangement.too_near)
    if not near:
        return ()
    return (f"{near:,} of {agents:,} touch another character; use more spacing, fewer characters or shorter motions.",)
