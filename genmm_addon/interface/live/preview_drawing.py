# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion that Live has not kept yet, drawn as lines in the viewport; it is not saved in the file."""

import bpy
import numpy as np
from bpy.types import SpaceView3D

from ...animation.rig import OBJECT_JOINT, roots_to_world
from ...animation.scene_time import first_frame
from ...generation.request import Output
from ...requests.request_values import places_of
from ...state.registration import Drawing
from ..common.line_drawing import ColoredLines, draw_lines, in_world
from ..common.motion_ghosts import motion_lines
from . import running

COLOR = (1.0, 0.8, 0.2)


def preview_lines(frame: float) -> ColoredLines | None:
    """Return the lines of the motion at a frame of the scene, in the world; None where there is none to show."""
    live = running.session()
    located = None if live is None or live.shown is None else live.found()
    if live is None or live.shown is None or located is None:
        return None
    (character, scene), asked, motion = located, live.shown.asked, live.shown.synthesis.motion
    first = first_frame(asked.request.frame_start, scene)
    lines = motion_lines(motion, character, frame - first, frozenset(motion.skeleton.names), COLOR)
    world = np.array(roots_to_world(character, motion.skeleton.names[0] == OBJECT_JOINT), np.float64)
    # Where the kept result stands, once there is one.
    places = places_of(live.places) if asked.request.output is Output.NEW_CHARACTER else ()
    world[:3, 3] += places[0] if places else (0.0, 0.0, 0.0)
    return in_world(lines, world)


def draw_preview() -> None:
    """Draw the motion; Blender calls this after drawing a viewport."""
    live, context = running.session(), bpy.context
    if live is None or live.shown is None or context.scene.name_full != live.scene:
        return
    if not isinstance(context.space_data, SpaceView3D):
        return
    lines = preview_lines(context.scene.frame_current_final)
    if lines is not None:
        draw_lines(context, lines)


DRAWING = Drawing(bpy.types.SpaceView3D, draw_preview, "POST_VIEW")
