# SPDX-License-Identifier: GPL-3.0-or-later
"""Steering through a library with random wishes: sliding feet, accelerations of joints, and the time of a step.

The library is a file, or a folder of motion files, each of which is mirrored as well. The output is JSON lines: first
all clips at once, with the seeds on which constants were chosen and with others, then each style alone with two seeds.
Ratios are relative to the clips that were shown, weighted by their durations, or to the frames shown. Accelerations are
those near transitions. Times are milliseconds of one thread's processor time. backward, sideward: percent of knees and
elbows that bend in this direction. The next lines are for a character that follows a goal on a figure of eight (seconds
behind, distance from the path in sizes), and for one that turns on the spot (degrees from the facing). The last lines
compare the motion performed on that path, before and after polishing, as multiples of the clips shown.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Controller, InputError, Motion, Wish
from genmm_addon.core.library import ClipLibrary, TagPattern, index_motions, load_library
from genmm_addon.core.live import LiveState, polish, prepare_live
from genmm_addon.core.motion import joined, joint_accelerations, place_and_heading
from genmm_addon.libraries.building import Plan, build
from genmm_addon.libraries.takes import files_in

from .measures.steering_measures import behind_goal, eight_wishes, off_facing, played_through, wrong_bends

Float64 = NDArray[np.float64]

CHOSEN_SEEDS, OTHER_SEEDS, STYLE_SEEDS = (0, 1, 4), (2, 3, 5), (61, 62)
STEPS = 900
RATE = 30.0
"""Frames per second of a folder's clips."""
PATTERN = "{dataset}_{action}_{style}_{take}"
SPEEDS = (0.0, 0.45, 0.75, 1.6, 2.2)
"""Speeds in sizes per second: standing, walking, running, and faster than most examples."""
EIGHT_STEPS = 450
BESIDE = (2, 12)
"""Numbers of frames before and after a transition that are near it, until its difference has vanished."""


class Measured:
    """A library that is ready for steering, with the sliding and accelerations of its own frames."""

    def __init__(self, motions: Sequence[Motion]) -> None:
        self.controller = Controller(prepare_live(index_motions(motions)))
        self.slides = np.concatenate([self.slide(motion) for motion in motions])
        self.accelerations = np.concatenate([_accelerations(motion) for motion in motions])

    def slide(self, motion: Motion) -> Float64:
        """Return the speed `(T,)` of feet near the ground, weighted as in `metrics.foot_skate`, in any unit."""
        examples = self.controller.examples
        up, size = examples.up, examples.skeleton.size
        places = motion.pose()[1][:, [foot.joint for foot in examples.feet]].astype(np.float64)
        heights = (places @ up - examples.ground) / size
        ways = np.diff(places, axis=0, prepend=places[:1])
        level = np.linalg.norm(ways - (ways @ up)[..., None] * up, axis=2)
        return np.asarray((level * (2.0 - 2.0 ** np.clip(heights * 170.0 / 2.5, 0.0, 1.0))).mean(axis=1))

    def steered(self, seed: int, allowed: NDArray[np.bool_] | None = None) -> dict[str, float]:
        """Return the measures of one run with random wishes."""
        state, frames, states, times = self.controller.start(allowed=allowed), [], list[LiveState](), []
        for wish in _wishes(self.controller, seed, allowed):
            begun = time.process_time()
            state, frame = self.controller.step(state, wish)
            times.append(time.process_time() - begun)
            frames.append(frame)
            states.append(state)
        return {
            **self._quality(joined(frames), states),
            "step": 1000 * float(np.mean(times)),
            "step_99": 1000 * _high(times),
        }

    def polished(self, allowed: NDArray[np.bool_] | None = None) -> dict[str, float]:
        """Return the measures of a performed figure of eight, before and after polishing.

        skate, acceleration (the mean), acceleration_99 and acceleration_largest are multiples of the clips that were
        shown. off, off_most: mean and largest distance between both at the same time, in sizes.
        """
        index, (performed, states) = self.controller.examples.index, self._on_eight(allowed)
        clips, own, slides = self._clips_played(np.array([int(state.frame) for state in states]))
        motions = [self.controller.examples.library.motions[clip] for clip in clips]
        root = index.space.plan
        began = time.process_time()
        made = polish(motions, performed, root=performed.skeleton.names[root.joint]).motion
        found = {"clips": float(len(clips)), "seconds": time.process_time() - began}
        for name, motion in (("performed", performed), ("polished", made)):
            accelerations = _accelerations(motion)
            found[f"{name}_skate"] = float(self.slide(motion).mean()) / max(slides, 1e-9)
            found[f"{name}_acceleration"] = float(accelerations.mean() / own.mean())
            found[f"{name}_acceleration_99"] = _high(accelerations) / _high(own)
            found[f"{name}_acceleration_largest"] = float(accelerations.max() / own.max())
        places = [place_and_heading(motion, root)[0] for motion in (performed, made)]
        off = np.linalg.norm((places[0] - places[1]) @ self.controller.examples.axes.T, axis=1)
        size = self.controller.examples.skeleton.size
        return {**found, "off": float(off.mean() / size), "off_most": float(off.max() / size)}

    def behind(self) -> dict[str, float]:
        """Return the measures of a character that follows a goal on a figure of eight."""
        motion, states = self._on_eight(None)
        return {**behind_goal(self.controller.examples, motion), **self._quality(motion, states)}

    def _on_eight(self, allowed: NDArray[np.bool_] | None) -> tuple[Motion, list[LiveState]]:
        return played_through(
            self.controller, eight_wishes(self.controller, EIGHT_STEPS, allowed), self._begun(allowed)
        )

    def _begun(self, allowed: NDArray[np.bool_] | None) -> LiveState:
        axes = self.controller.examples.axes
        return self.controller.start(np.zeros(3), axes[1], allowed)

    def _quality(self, motion: Motion, states: Sequence[LiveState]) -> dict[str, float]:
        index = self.controller.examples.index
        source_frames = np.round([state.frame for state in states]).astype(np.int64)
        _, examples, clip_slides = self._clips_played(source_frames)
        slides, accelerations = self.slide(motion).mean(), _accelerations(motion)
        transitions = np.flatnonzero([state.changed == 0 for state in states])
        around = np.arange(-BESIDE[0], BESIDE[1])
        beside = np.unique(np.clip(transitions[:, None] + around, 0, motion.frames - 1))
        found = accelerations[beside]
        return {
            "transitions_a_second": len(transitions) / motion.frames * index.frames_per_second,
            "least_steps_between": float(np.diff(transitions).min(initial=len(states))),
            "skate": float(slides / max(clip_slides, 1e-9)),
            "skate_frames": float(slides / max(self.slides[source_frames].mean(), 1e-9)),
            "acceleration_frames": float(found.mean() / self.accelerations[source_frames[beside]].mean()),
            "acceleration_99": float(_high(found) / _high(examples)),
            "acceleration_largest": float(found.max() / examples.max()),
            **wrong_bends(self.controller.examples, motion),
        }

    def _clips_played(self, source_frames: NDArray[np.int64]) -> tuple[NDArray[np.integer], Float64, float]:
        """Return the clips that were shown, their accelerations, and their mean sliding, weighted by duration."""
        index = self.controller.examples.index
        clips, counts = np.unique(index.clips[source_frames], return_counts=True)
        pieces = [slice(index.starts[clip], index.stops[clip]) for clip in clips]
        slides = np.average([self.slides[piece].mean() for piece in pieces], weights=counts)
        return clips, np.concatenate([self.accelerations[piece] for piece in pieces], dtype=np.float64), float(slides)


def _wishes(controller: Controller, seed: int, allowed: NDArray[np.bool_] | None) -> list[Wish]:
    examples, chance, wishes = controller.examples, np.random.default_rng(seed), list[Wish]()
    while len(wishes) < STEPS:
        speed, angle = chance.choice(SPEEDS) * examples.skeleton.size, chance.uniform(-np.pi, np.pi)
        velocity = speed * (np.cos(angle) * examples.axes[0] + np.sin(angle) * examples.axes[1])
        wishes += [Wish(velocity, allowed=allowed)] * int(chance.integers(20, 90))
    return wishes[:STEPS]


def _accelerations(motion: Motion) -> Float64:
    """Return the absolute acceleration `(T, J)` of each joint; the first and last frame repeat their neighbors'."""
    if motion.frames < 3:
        return np.zeros((motion.frames, len(motion.skeleton.names)))
    return np.pad(joint_accelerations(motion), ((1, 1), (0, 0)), mode="edge")


def _high(values: NDArray[np.floating] | Sequence[float]) -> float:
    return float(np.percentile(values, 99))


def _library(place: Path, pattern: str) -> ClipLibrary:
    """Return the library of a file or a folder. Raises InputError if it cannot be read."""
    if not place.is_dir():
        return load_library(place)
    return build(files_in(place), Plan((TagPattern(pattern),), frames_per_second=RATE, mirrored=True)).library


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py bench --live", description=__doc__)
    parser.add_argument("library", type=Path, help="a library file, or a folder of motion files")
    parser.add_argument("--pattern", default=PATTERN, help="tags in the names of a folder's files")
    parser.add_argument("--seeds", type=int)  # an option of all benches; the seeds here are fixed
    options = parser.parse_args(arguments)
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def tell(said: dict[str, Any], rows: Sequence[dict[str, float]]) -> None:
        means = {key: round(float(np.mean([row[key] for row in rows])), 2) for key in rows[0]}
        print(json.dumps({**said, **means}), file=results, flush=True)

    try:
        library = _library(options.library, options.pattern)
        measured = Measured([library.motion(number) for number in range(len(library.clips))])
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    for called, seeds in (("chosen on", CHOSEN_SEEDS), ("kept aside", OTHER_SEEDS)):
        tell({"clips": "all", "seeds": called}, [measured.steered(seed) for seed in seeds])
    styles = np.array([clip.tags.get("style", "") for clip in library.clips])
    for style in np.unique(styles[styles != ""]).tolist():
        for seed in STYLE_SEEDS:
            tell({"style": style, "seed": seed}, [measured.steered(seed, styles == style)])
    tell({"goal": "figure of eight"}, [measured.behind()])
    for degrees in (90, 180):
        tell({"turning": degrees}, [off_facing(measured.controller, way * degrees) for way in (-1.0, 1.0)])
    tell({"polished": "all"}, [measured.polished()])
    for style in np.unique(styles[styles != ""]).tolist():
        tell({"polished": style}, [measured.polished(styles == style)])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
