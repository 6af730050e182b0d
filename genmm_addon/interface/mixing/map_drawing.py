# SPDX-License-Identifier: GPL-3.0-or-later
"""The other skeleton beside the character, with lines between counterparts in the colors of the table, while open."""

from collections.abc import Mapping, Sequence

import numpy as np
from bpy.types import Context, Object

from ...animation.rig import read_skeleton
from ...core import Array, InputError, Skeleton, rotations
from ...state.properties import GENMM_PG_character, readable_settings
from ..common.draw_handlers import redraw
from ..common.known_while import KnownWhile
from ..common.line_drawing import Color, ColoredLines, in_world, lines_of
from ..common.sidebar import with_table
from ..common.viewport_drawing import lines_around
from .other_skeletons import other_skeletons

COLORS: dict[str, Color] = {
    "SET": (0.3, 0.6, 1.0, 0.9),
    "SURE": (0.3, 0.85, 0.3, 0.9),
    "DOUBTFUL": (1.0, 0.8, 0.1, 0.9),
    "NONE": (0.9, 0.2, 0.2, 0.9),
}
UNLISTED: Color = (0.6, 0.6, 0.6, 0.6)
SELECTED: Color = (1.0, 1.0, 1.0, 1.0)

_known = KnownWhile[tuple[Skeleton, Skeleton, Array] | None]()

Rows = Sequence[tuple[str, str, str]]
"""The name of the other bone, of the character's own bone, and the certainty of the pair."""


def beside(other: Skeleton, own: Skeleton, pairs: Mapping[str, str]) -> Array:
    """Return the other skeleton's joints `(J, 3)` at rest beside the character, as tall and turned alike."""
    upright = rotations.shortest_turn(np.array(other.up), np.array(own.up))
    places, here = rotations.rotate(upright, other.rest_positions), own.rest_positions
    up = np.array(own.up)
    # Characters look along an axis beside X, whether Y or Z is up.
    side = np.eye(3)[1 if up[0] else 0]
    ahead = np.cross(up, side)
    axes = np.stack((side, ahead, up))
    places, here = places @ axes.T, here @ axes.T
    table = [(other.names.index(one), own.names.index(two)) for one, two in pairs.items()]
    there, matched = (np.array(joints, np.int64) for joints in zip(*table, strict=True)) if table else ([0], [0])
    moved, fixed = places[there] - places[there].mean(0), here[matched] - here[matched].mean(0)
    dot = (moved[:, :2] * fixed[:, :2]).sum()
    cross = (moved[:, 0] * fixed[:, 1] - moved[:, 1] * fixed[:, 0]).sum()
    turn = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.array(np.arctan2(cross, dot)))
    places = rotations.rotate(turn, places) * (np.ptp(here[:, 2]) / max(float(np.ptp(places[:, 2])), 1e-9))
    gap = 0.6 * (np.ptp(places[:, 0]) + np.ptp(here[:, 0]))
    middle = (places.max(0) + places.min(0)) / 2 - (here.max(0) + here.min(0)) / 2
    places = places - middle + [gap, 0.0, 0.0]
    places[:, 2] += here[:, 2].min() - places[:, 2].min()
    return np.asarray(places @ axes)


def map_lines(other: tuple[Skeleton, Array], own: tuple[Skeleton, Array], rows: Rows, active: int) -> ColoredLines:
    """Return both skeletons' bones, and the lines between counterparts.

    other, own: the skeletons, and their joints' positions `(J, 3)`. active: the row that is selected.
    """
    colors = [{row[place]: COLORS[row[2]] for row in rows if row[place]} for place in (0, 1)]
    pieces: list[tuple[Array, Color]] = []
    for (skeleton, places), color in zip((other, own), colors, strict=True):
        for joint, parent in enumerate(skeleton.parents.tolist()):
            if parent >= 0:
                pieces.append((places[[parent, joint]], color.get(skeleton.names[joint], UNLISTED)))
    tables = [{name: joint for joint, name in enumerate(skeleton.names)} for skeleton, _ in (other, own)]
    for number, (one, two, certainty) in enumerate(rows):
        if one and two and one in tables[0] and two in tables[1]:
            ends = np.stack((other[1][tables[0][one]], own[1][tables[1][two]]))
            pieces.append((ends, SELECTED if number == active else (*COLORS[certainty][:3], 0.4)))
    return lines_of(pieces)


def shown_map(context: Context, character: Object) -> ColoredLines | None:
    """Return the lines of the map where the sidebar shows the table; None elsewhere."""
    settings = readable_settings(character, context.scene)
    return shown_lines(context, character, settings) if shows_table(context) else None


def shown_lines(context: Context, character: Object, settings: GENMM_PG_character) -> ColoredLines | None:
    """Return the lines in the world; None without a table or another skeleton."""
    rows = [(row.name, row.target, row.shown_certainty) for row in settings.bone_names]
    if not rows:
        return None
    active = min(settings.active_bone_name, len(rows) - 1)
    mark = (tuple(rows), rows[active][0], tuple(item.path for item in settings.library_files), len(settings.examples))
    kept = _known.value(character.name_full, mark, lambda: _skeletons(context, character, settings, rows, active))
    if kept is None:
        return None
    other, own, places = kept
    bones = character.pose.bones
    here = np.array([bones[name].head if name in bones else (0.0, 0.0, 0.0) for name in own.names])
    return in_world(map_lines((other, places), (own, here), rows, active), np.array(character.matrix_world))


def _skeletons(
    context: Context, character: Object, settings: GENMM_PG_character, rows: Rows, active: int
) -> tuple[Skeleton, Skeleton, Array] | None:
    """Return the other skeleton that has the selected row's bone, or else the first, the own one, and where to draw."""
    try:
        others = list(other_skeletons(context, character, settings).values())
    except InputError:
        return None
    if not others:
        return None
    other = next((each for each in others if rows[active][0] in each.names), others[0])
    own = read_skeleton(character)
    pairs = {one: two for one, two, _ in rows if one in other.names and two in own.names and one and two}
    return other, own, beside(other, own, pairs)


def table_is_drawn(context: Context) -> None:
    """Draw the map beside a sidebar that shows the table."""
    with_table.add(context.region.as_pointer())
    redraw(context, regions=("WINDOW",))


def shows_table(context: Context) -> bool:
    """Return whether the sidebar of a viewport shows the table."""
    return any(
        region.type == "UI" and region.width > 1 and region.as_pointer() in with_table
        for region in context.area.regions
    )


DRAWING = lines_around(shown_map)


def unregister() -> None:
    """Forget the skeletons and the sidebars."""
    _known.clear()
    with_table.clear()
