# SPDX-License-Identifier: GPL-3.0-or-later
"""A character steered over time, with the styles to choose from."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from bpy.types import Object, Scene
from mathutils import Matrix

from ..animation.rig import OBJECT_JOINT, roots_to_world
from ..core import Array, Controller, Float64, InputError, Mask, Motion, Progress, Wish, computing, parts_of_progress
from ..core.library import IndexedMotions
from ..core.live import LiveExamples, LiveState, goal_trajectory, prepare_live
from ..core.motion import place_and_heading
from ..libraries.choosing import choose_clips
from ..libraries.indexed_examples import ExampleChoice, FillingExamples, all_of, library_to_prepare, ready_examples

MOST_STYLES = 9
"""Most styles, one for each number key; the key 0 stands for all motions."""
KEYS = ("style", "action")
"""Keys of tags that name styles; the first one with several values is used."""
PACES = ("Slow", "Usual", "Fast")
MOST_STEPS = 15
"""Maximum number of steps that catch up after a late redraw; after a longer delay, the clock is reset."""
NEAR_SECONDS = 0.5
"""Distance of a goal, in seconds at the chosen pace, within which it is approached slower, or followed if it moves."""
LONGEST_SECONDS = 1800.0
"""Longest session, in seconds; it then ends and keeps the performance."""
_live: list[tuple[IndexedMotions, LiveExamples]] = []
"""The examples prepared last, and their source: preparing 251,000 frames takes some seconds."""


@dataclass(frozen=True, eq=False)
class Style:
    """Motions to play from: `allowed` `(M,)`, None for all. travels: whether any of them travels."""

    name: str
    allowed: Mask | None
    travels: bool = True

    @property
    def said(self) -> str:
        """Return the style's text for the status bar."""
        return self.name if self.travels else f"{self.name} (stays in place)"


EVERY = Style("All", None)


def styles_of(choice: ExampleChoice, names: tuple[str, ...]) -> tuple[Style, ...]:
    """Return the styles of motions with these names; the first style is all motions."""
    return (EVERY, *_by_name(_names_of_styles(choice, names)))


def names_of_styles(styles: tuple[Style, ...], count: int) -> list[str]:
    """Return the style of each of `count` motions, "" for none."""
    styles_of_motions = [""] * count
    for style in styles:
        for number in np.flatnonzero(style.allowed).tolist() if style.allowed is not None else ():
            styles_of_motions[number] = style.name
    return styles_of_motions


def with_travel(styles: tuple[Style, ...], travels: Mask) -> tuple[Style, ...]:
    """Return the styles with their `travels` set; travels: `(M,)` whether each motion travels."""
    return tuple(
        replace(style, travels=bool(travels[... if style.allowed is None else style.allowed].any())) for style in styles
    )


def _names_of_styles(choice: ExampleChoice, names: tuple[str, ...]) -> list[str]:
    """Return the style of each motion."""
    if choice.library is None:
        return list(names)
    clips = choose_clips(all_of(choice.library)).clips
    for key in KEYS:
        values = [clip.tags.get(key, "") for clip in clips]
        if len({value for value in values if value}) > 1:
            return values
    return [""] * len(names)


def _by_name(of_motions: list[str]) -> list[Style]:
    counts = Counter(name for name in of_motions if name)
    if len(counts) < 2:
        return []
    called = np.array(of_motions)
    return [Style(name, called == name) for name, _ in counts.most_common(MOST_STYLES)]


@dataclass(frozen=True, eq=False)
class Steering:
    """A character ready for steering. space: the world matrix of its roots' space."""

    examples: FillingExamples
    controller: Controller
    styles: tuple[Style, ...]
    space: Matrix
    choice: ExampleChoice

    def direction(self, world: Array) -> Float64:
        """Return a world direction `(3,)` in the character's space, along the ground and of length 1, or 0."""
        local = np.linalg.inv(np.array(self.space, np.float64)[:3, :3]) @ np.asarray(world, np.float64)
        up = self.controller.examples.up
        local -= (local @ up) * up
        length = float(np.linalg.norm(local))
        return np.asarray(local / length if length > 1e-6 else np.zeros(3))

    def place(self, world: Array) -> Float64:
        """Return a world point `(3,)` in the character's space."""
        return np.asarray(np.linalg.inv(np.array(self.space, np.float64)) @ np.append(world, 1.0))[:3]


def library_to_make_ready(
    character: Object, scene: Scene, choice: ExampleChoice
) -> tuple[int, Callable[[Progress | None], FillingExamples]] | None:
    """Return the frames of a library that is not prepared, and the function that prepares it on arrays, in any thread.

    None without a library, and where it is prepared. Raises InputError where the library cannot be read.
    """
    if choice.library is None:
        return None
    waiting = library_to_prepare(character, scene, choice)
    if waiting is not None:
        to_prepare = waiting
        return waiting.clips.frames, lambda progress: _with_ways(to_prepare.prepared(parts_of_progress(progress, 2)[0]))
    examples = ready_examples(character, scene, choice)
    if any(library is examples.prepared for library, _ in _live):
        return None
    return examples.prepared.index.frames, lambda _progress: _with_ways(examples)


def _with_ways(examples: FillingExamples) -> FillingExamples:
    _live_examples(examples.prepared)
    return examples


def _live_examples(library: IndexedMotions) -> LiveExamples:
    examples = next((made for known, made in _live if known is library), None)
    if examples is None:
        # In memory, since each step takes frames of them.
        examples = prepare_live(replace(library, motions=tuple(library.motions)))
        _live[:] = [(library, examples)]
    return examples


@computing()
def ready_to_steer(character: Object, scene: Scene, choice: ExampleChoice, responsiveness: float) -> Steering:
    """Return a character ready for steering. Raises InputError where its examples cannot be read."""
    examples = ready_examples(character, scene, choice)
    travels = _travels(examples.prepared)
    if not travels.any():
        raise InputError("None of the examples moves over the ground; add one that does, such as a walk.")
    joints = examples.prepared.motions[0].skeleton.names
    space = roots_to_world(character, joints[0] == OBJECT_JOINT)
    controller = Controller(_live_examples(examples.prepared), responsiveness)
    styles = with_travel(styles_of(choice, examples.names), travels)
    return Steering(examples, controller, styles, space, choice)


def _travels(library: IndexedMotions) -> Mask:
    """Return whether each motion `(M,)` travels farther than half of the body's size."""
    index = library.index
    return np.asarray(np.linalg.norm(index.ground[index.stops - 1] - index.ground[index.starts], axis=1) > 0.5)


@dataclass(eq=False)
class Session:
    """A session of steering. frames: all frames played; wishes: the numbers of style and pace at each; shown: the
    number of the motion at each.

    paused: nothing moves. pace, style: the chosen numbers. begun: the clock at which it began, in seconds.
    """

    steering: Steering
    state: LiveState
    frames: list[Motion] = field(default_factory=list)
    wishes: list[tuple[int, int]] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    paused: bool = False
    pace: int = PACES.index("Usual")
    style: int = 0
    begun: float = 0.0

    @classmethod
    def at(cls, steering: Steering, pose: Motion | None) -> "Session":
        """Return a session that begins with the place and facing of a pose, a motion of one frame."""
        controller = steering.controller
        if pose is None:
            return cls(steering, controller.start())
        examples = controller.examples
        place, turn = place_and_heading(pose, examples.index.space.plan)
        angle = float(turn[0]) + examples.forward
        facing = np.cos(angle) * examples.axes[0] + np.sin(angle) * examples.axes[1]
        return cls(steering, controller.start(place[0], facing))

    @property
    def rate(self) -> float:
        """Return the number of steps per second."""
        return self.steering.controller.frames_per_second

    @property
    def full(self) -> bool:
        """Return whether the session has reached its longest time."""
        return len(self.frames) >= LONGEST_SECONDS * self.rate

    def start_clock(self, now: float) -> None:
        """Begin, or continue after a pause, at time `now` in seconds."""
        self.begun = now - len(self.frames) / self.rate

    def advance(self, now: float, wish_of: Callable[[], Wish]) -> int:
        """Play the steps that are due at time `now` in seconds, and return their number.

        After a delay of more than MOST_STEPS steps, the others are skipped.
        """
        if self.paused or self.full:
            self.start_clock(now)
            return 0
        due = int((now - self.begun) * self.rate) - len(self.frames)
        steps = min(max(due, 0), MOST_STEPS)
        for _ in range(steps):
            self.step(wish_of())
        if due > steps:
            self.start_clock(now)
        return steps

    def step(self, wish: Wish) -> None:
        """Play one frame from clips of the chosen style; a style that does not travel plays in place."""
        style = self.steering.styles[self.style]
        styled = replace(wish if style.travels else Wish(velocity=np.zeros(3)), allowed=style.allowed)
        self.state, frame = self.steering.controller.step(self.state, styled)
        self.frames.append(frame)
        self.wishes.append((self.style, self.pace))
        index = self.steering.controller.examples.index
        self.shown.append(int(index.clips[int(self.state.frame)]))

    def choose_style(self, number: int) -> bool:
        """Choose a style by its number, and return whether it exists."""
        exists = 0 <= number < len(self.steering.styles)
        self.style = number if exists else self.style
        return exists

    @property
    def speed(self) -> float:
        """Return the speed of the chosen pace, in units per second."""
        return self.steering.controller.examples.paces[self.pace]

    def place(self) -> Float64:
        """Return the root's position `(3,)` on the ground, in the character's space."""
        examples = self.steering.controller.examples
        return np.asarray(self.state.place @ examples.axes * examples.skeleton.size)

    def toward(self, goal: Float64) -> Wish:
        """Return the wish to go to a place and stand there."""
        offset = self.on_ground(goal - self.place())
        length = float(np.linalg.norm(offset))
        if length < 1e-6:
            return Wish(velocity=np.zeros(3))
        return Wish(velocity=offset / length * min(self.speed, length / NEAR_SECONDS))

    def along(self, goal: Float64, velocity: Float64) -> Wish:
        """Return the wish to follow a goal that moves with a velocity, in units per second."""
        gap = float(np.linalg.norm(self.on_ground(goal - self.place())))
        if gap > NEAR_SECONDS * self.speed:
            return self.toward(goal)
        return Wish(trajectory=goal_trajectory(self.on_ground(goal), self.on_ground(velocity)))

    def on_ground(self, vector: Float64) -> Float64:
        """Return a vector `(3,)` without its height."""
        up = self.steering.controller.examples.up
        return np.asarray(vector - (vector @ up) * up)
