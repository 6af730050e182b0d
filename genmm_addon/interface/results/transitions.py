# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions of a result and flaws of its legs that may be visible, with buttons that go to them."""

from bpy.types import Scene, UILayout

from ...core import counted
from ...core.evaluation import LegFlawKind
from ...generation.measures import FLAW_NAMES, flawed_frames, visible_frames
from ...generation.sources import PlayedResult
from ..common.choice_operator import draw_choice
from ..common.drawing import MOST_ROWS


def frames_of(played: PlayedResult) -> tuple[int, ...] | None:
    """Return the scene frames of the transitions that may be visible; None where they were not measured."""
    frames = visible_frames(played.action)
    return None if frames is None else tuple(round(frame + played.offset) for frame in frames)


def flaws_of(played: PlayedResult) -> dict[LegFlawKind, tuple[int, ...]] | None:
    """Return the scene frames of flaws of the legs, by their kind; None where they were not measured."""
    flaws = flawed_frames(played.action)
    if flaws is None:
        return None
    return {kind: tuple(round(frame + played.offset) for frame in frames) for kind, frames in flaws.items()}


def frames_offered(frames: tuple[int, ...], current: int) -> tuple[int, ...]:
    """Return the frames with a button, in order: at most MOST_ROWS, those nearest to the current frame."""
    return tuple(sorted(sorted(frames, key=lambda frame: abs(frame - current))[:MOST_ROWS]))


def draw_transitions(layout: UILayout, played: PlayedResult, scene: Scene) -> None:
    """Draw the number of transitions that may be visible, with a button that goes to each."""
    frames = frames_of(played)
    if frames is None:
        return
    if not frames:
        layout.label(text="No cut shows", icon="CHECKMARK")
        return
    _draw_frames(layout, frames, "cut", "cuts", scene)


def draw_flaws(layout: UILayout, played: PlayedResult, scene: Scene) -> None:
    """Draw the number of flaws of knees and feet, by kind, with a button that goes to each."""
    flaws = flaws_of(played)
    if flaws is None:
        return
    if not flaws:
        layout.label(text="No knee pops, no foot slides", icon="CHECKMARK")
    for kind, frames in flaws.items():
        _draw_frames(layout, frames, FLAW_NAMES[kind], "leg_flaws", scene)


def _draw_frames(layout: UILayout, frames: tuple[int, ...], noun: str, rows: str, scene: Scene) -> None:
    """Draw the number of frames that may show a flaw, with a button that goes to each."""
    column = layout.column(align=True)
    word = "frame" if len(frames) == 1 else "frames"
    column.label(text=f"{counted(len(frames), noun)} may show: {word}", icon="INFO")
    offered = frames_offered(frames, scene.frame_current)
    grid = column.grid_flow(row_major=True, columns=0, even_columns=True, align=True)
    for frame in offered:
        button = draw_choice(grid, "genmm.go_to_frame", rows, text=f"{frame}", depress=frame == scene.frame_current)
        button.frame = frame
