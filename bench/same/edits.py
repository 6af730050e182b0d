# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of what is done with existing motion: gaps, connections, styles, repair, ground, places, steering, search."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from genmm_addon.core import (
    Constraints,
    Controller,
    InputError,
    Labels,
    LabelStretch,
    Motion,
    Wish,
    prepare,
    synthesize,
)
from genmm_addon.core.environment import Reach, find_body, meet_places, put_on_ground
from genmm_addon.core.feet import standing_of
from genmm_addon.core.infill import (
    Surroundings,
    alternatives,
    connect,
    cost_durations,
    fill_gap,
    replan,
    trajectories_through,
)
from genmm_addon.core.keys import carry_edits
from genmm_addon.core.library import (
    ClipLibrary,
    IndexedMotions,
    build_cluster_tree,
    find_similar,
    index_motions,
    load_library,
    prepare_kept,
    rows_of,
    save_library,
)
from genmm_addon.core.live import polish, prepare_live
from genmm_addon.core.manner import StyleSettings, blend_motions, edit, find_examples, parse_targets, restyle
from genmm_addon.core.motion import Gap, joined
from genmm_addon.core.repair import denoised, find_flaws, naturalize, repair

from ..filling import interpolated
from ..places.common import example_of, surface_of
from .digests import Case

FIRST, LAST = 40, 70
"""Frames of the poses around the stretch of a clip that is filled, replanned or smoothed."""
KNOWN = 15
"""Number of frames beside the stretch that are known."""
STEPS = 150
NOISE = 0.02
"""Standard deviation of the noise that repair takes off, in radians."""
GROUNDS = ("flat", "up", "slope down", "rough")
ATTRIBUTES = ("speed=1.05x", "arm_swing=0.95x", "crouch=1.05x")


def edit_cases(library: ClipLibrary) -> Iterator[Case]:
    """Yield the digests of all edits of the first clip, made from the library's other clips.

    A refused case has its sentence in place of a digest.
    """
    motions = [library.motion(number) for number in range(len(library.clips))]
    content, ready = motions[0], index_motions(motions[1:])
    cases: tuple[Callable[[], Iterator[Case]], ...] = (
        lambda: gap_cases(content, ready),
        lambda: replanning_cases(content, motions[1:4], ready),
        lambda: natural_cases(content, ready),
        lambda: repair_cases(content, ready),
        lambda: manner_cases(content, ready),
        lambda: place_cases(content),
        lambda: live_cases(motions[1:], ready),
        lambda: library_cases(library, content, ready),
    )
    for number, case in enumerate(cases):
        try:
            yield from case()
        except InputError as error:
            yield f"edit {number}", f"refused: {error}"


def gap_cases(content: Motion, ready: IndexedMotions) -> Iterator[Case]:
    """Yield the digests of fillings of a gap, alternatives to them, its trajectories, and the costs of durations."""
    gap, frames = _gap(content), LAST - FIRST
    yield "fill", [filling.motion for filling in fill_gap(ready, gap, frames, count=3)]
    poses = Gap(content.slice(FIRST, FIRST + 1), content.slice(LAST, LAST + 1))
    yield "fill between lone poses", [fill_gap(ready, poses, frames)[0].motion]
    some = islice(alternatives(ready, gap, frames), 4)
    yield "alternatives of a filling", [filling.motion for filling in some]
    found = trajectories_through(ready, gap, [frames])
    yield "trajectories through a gap", [trajectory.filling.motion for trajectory in found]
    yield "costs of durations", [cost_durations(ready.index, gap, range(10, 60, 5)).costs]


def replanning_cases(content: Motion, examples: Sequence[Motion], ready: IndexedMotions) -> Iterator[Case]:
    """Yield the digests of a motion that continues, of a stretch regenerated in two ways, and of a connection."""
    prepared, gap = prepare(examples), _gap(content)
    yield "continue", [replan(prepared, Surroundings(gap.before), 90).motion]
    yield "continue backward", [replan(prepared, Surroundings(after=gap.after), 60).motion]
    around = Surroundings(gap.before, gap.after)
    first = replan(prepared, around, LAST - FIRST - 1, seed=1).motion
    other = replan(prepared, around, LAST - FIRST - 1, seed=2, unlike=[first]).motion
    yield "regenerate", [first, other]
    connected = connect(ready, content, examples[0], 12)
    yield "connect", [connected.motion, connected.following]


def natural_cases(content: Motion, ready: IndexedMotions) -> Iterator[Case]:
    """Yield the digests of a rough stretch made natural, and of edits of coarse keys carried onto their motion."""
    rough = joined(
        [content.slice(0, FIRST), interpolated(content, FIRST, LAST - FIRST), content.slice(LAST + 1, content.frames)]
    )
    yield "natural", [naturalize(ready, rough, FIRST, LAST)]
    keyed = np.zeros(content.rotations.shape[:2], bool)
    keyed[::10] = True
    times = np.arange(content.frames, dtype=np.float64)
    yield "coarse keys", [carry_edits(standing_of(content), content, rough, keyed, times)]


def repair_cases(content: Motion, ready: IndexedMotions) -> Iterator[Case]:
    """Yield the digests of noise removed with and without examples, and of the repair of flaws that were found."""
    random, standing = np.random.default_rng(1), standing_of(content)
    noise = random.normal(0.0, NOISE, content.rotations.shape).astype(np.float32)
    turns = content.rotations + noise
    noisy = content.with_channels(
        {**content.channels(), "rotations": turns / np.linalg.norm(turns, axis=-1, keepdims=True)}
    )
    plan = ready.index.space.plan
    yield "denoised", [denoised(noisy, plan), denoised(noisy, plan, ready)]
    flaws = find_flaws(noisy, standing)
    yield "repair", [repair(noisy, flaws, standing), repair(noisy, flaws, standing, library=ready)]


def manner_cases(content: Motion, ready: IndexedMotions) -> Iterator[Case]:
    """Yield the digests of a motion in the style of another clip, blends with it, and edited attributes."""
    style = index_motions(ready.motions[:1])
    kept, free = (restyle(content, style, StyleSettings(keep_timing=keep)) for keep in (True, False))
    yield "restyle", [kept.motion, free.motion, free.positions]
    yield "blend", [blend_motions(content, style, 0.5).motion]
    examples = find_examples(content, ready)
    for text in ATTRIBUTES:
        try:
            made = edit(examples, parse_targets(text))
            yield text, [made.motion, made.positions]
        except InputError as error:
            yield text, f"refused: {error}"


def place_cases(content: Motion) -> Iterator[Case]:
    """Yield the digests of feet put on several grounds, and of a joint at the end of a limb brought to a place."""
    example = example_of("content", content)
    for kind in GROUNDS:
        put = put_on_ground(example.motion, surface_of(example, kind), example.standing, example.root)
        yield f"ground {kind}", [put.motion]
    places = content.pose()[1].astype(np.float64)
    far = int(np.argmax(np.abs(places - places[:, :1]).max(axis=2).mean(axis=0)))
    active = np.zeros(content.frames, bool)
    active[FIRST:LAST] = True
    target = places[FIRST:LAST, far].mean(axis=0) + 0.1 * content.skeleton.size * np.array(content.skeleton.up)
    reach = Reach(far, active, np.tile(target, (content.frames, 1)))
    yield "reach", [meet_places(content, [reach], find_body([content], [far])).motion]


def live_cases(motions: Sequence[Motion], ready: IndexedMotions) -> Iterator[Case]:
    """Yield the digests of a steered performance that turns and stops, and of the same after polishing."""
    controller = Controller(prepare_live(ready))
    state, frames = controller.start(), list[Motion]()
    axes, size = controller.examples.axes, controller.examples.skeleton.size
    for step in range(STEPS):
        angle, speed = 2.0 * np.pi * step / STEPS, 0.0 if step > 0.8 * STEPS else 0.7 * size
        state, frame = controller.step(state, Wish(speed * (np.cos(angle) * axes[0] + np.sin(angle) * axes[1])))
        frames.append(frame)
    performed = joined(frames)
    yield "steer", [performed]
    yield "polish", [polish(motions[:4], performed).motion]


def library_cases(library: ClipLibrary, content: Motion, ready: IndexedMotions) -> Iterator[Case]:
    """Yield the digests of a library's file, its clusters and similar places, and of results with labels from it."""
    motions = [library.motion(number) for number in range(len(library.clips))]
    with TemporaryDirectory() as scratch:
        save_library(Path(scratch) / "library.npz", library)
        again = load_library(Path(scratch) / "library.npz")
        yield "library file", [again.motion(number) for number in range(len(again.clips))]
        prepared = prepare_kept(motions, Path(scratch) / "kept")
        kept = prepare_kept(motions, Path(scratch) / "kept")
    tags = tuple(tuple(f"{key}={value}" for key, value in clip.tags.items()) for clip in library.clips)
    stretches = [LabelStretch(own[-1], 60 * at, 60 * at + 59) for at, own in enumerate(tags[:2]) if own]
    labels = Constraints(others=(Labels(tags, tuple(stretches)),))
    yield "labels", [synthesize(made, 120, constraints=labels) for made in (prepared, kept)]
    places = find_similar(ready.index, rows_of(ready.index.space, content)[FIRST:LAST])
    yield "similar places", [np.array([[place.clip, place.first] for place in places])]
    yield "clusters", [np.array(build_cluster_tree(ready.index).clips)]


def _gap(content: Motion) -> Gap:
    return Gap(content.slice(FIRST - KNOWN, FIRST + 1), content.slice(LAST, LAST + KNOWN + 1))
