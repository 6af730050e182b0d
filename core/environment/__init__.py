# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion adapted to its surroundings: uneven ground, hands and feet at places, dragged joints, moved objects."""

from .dragging import DraggedJoint, drag_joint, make_draggable
from .ground.on_ground import Grounded, put_on_ground
from .ground.standing import GroundContacts, standing_of
from .ground.surface import Surface, make_surface
from .reach.body import ReachBody, find_body
from .reach.quickest import note_on_acceleration, quickest_in
from .reach.reach import Reach
from .reach.refusals import why_not_met, why_out_of_reach
from .reach.solving import Met, meet_places
from .warping import WarpedMotion, warp

__all__ = [
    "DraggedJoint",
    "GroundContacts",
    "Grounded",
    "Met",
    "Reach",
    "ReachBody",
    "Surface",
    "WarpedMotion",
    "drag_joint",
    "find_body",
    "make_draggable",
    "make_surface",
    "meet_places",
    "note_on_acceleration",
    "put_on_ground",
    "quickest_in",
    "standing_of",
    "warp",
    "why_not_met",
    "why_out_of_reach",
]
