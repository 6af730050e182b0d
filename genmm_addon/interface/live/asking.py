# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion that a panel asks for at this moment: its examples are read once per drag, its directions each time."""

from dataclasses import dataclass, replace

import bpy
from bpy.types import Object, Scene

from ...animation.reading.example_takes import InTakes
from ...animation.scene_time import scene_rate
from ...generation.generate import SceneReading, read_again, same_examples, same_reading
from ...generation.recipe import recipe_from_request, to_json
from ...generation.request import Request
from ...requests.choices import read_in_takes, with_takes
from ...requests.request_values import panel_request
from ...state.properties import readable_settings

Blocks = frozenset[tuple[str, str]]


@dataclass(frozen=True, eq=False)
class LiveRequest:
    """A request for one motion, the first of the panel's variations.

    text: all of the panel's values; source: those that the reading of the examples depends on. taken: for each example
    what is learned from. directing: kinds and names of the data-blocks that direct it.
    """

    request: Request
    reading: SceneReading
    text: str
    source: str
    taken: InTakes
    directing: Blocks

    def is_like(self, other: "LiveRequest") -> bool:
        """Return whether both ask for the same motion, value for value."""
        return self.text == other.text and same_reading(self.reading, other.reading)


def text_of(character: Object, scene: Scene) -> str:
    """Return all values of the panel as text, fast; the playhead is left out. Raises InputError."""
    request, _ = panel_request(character, scene)
    return _text(request, character, scene)


def ask(character: Object, scene: Scene, before: LiveRequest | None = None, *, rereads: bool = True) -> LiveRequest:
    """Return the motion that the panel asks for.

    before: an earlier request, whose example arrays are used again while the examples are the same. rereads: check
    whether they have changed. Raises InputError where the panel's values allow no motion.
    """
    _load_edited_path(character, scene)
    request, choices = panel_request(character, scene)
    text = _text(request, character, scene)
    request = replace(request, seeds=request.seeds[:1])
    source = _source(request, scene)
    if not rereads and before is not None and before.source == source and request.library is None:
        taken = before.taken
        request = with_takes(request, taken)
        reading = read_again(request, before.reading, scene)
    else:
        request, reading, taken = read_in_takes(request, choices, scene)
        reading = replace(reading, keeps_preparation=True)
        if before is not None and same_examples(before.reading, reading):
            reading = replace(reading, reading=before.reading.reading)
    return LiveRequest(request, reading, text, source, taken, directing(request))


def directing(request: Request) -> Blocks:
    """Return kinds and names of the data-blocks, beside the settings, that direct a motion while they are dragged."""
    owners: list[Object | None] = [spec.empty for spec in request.waypoints]
    if request.path is not None:
        owners.append(request.path.curve)
    if request.ground is not None:
        owners.append(request.ground.ground)
    blocks = [block for owner in owners if owner is not None for block in (owner, owner.data) if block is not None]
    actions = [spec.action for spec in (request.pins, request.completion) if spec is not None]
    return frozenset((block.id_type, block.name_full) for block in (*blocks, *actions))


def _text(request: Request, character: Object, scene: Scene) -> str:
    if readable_settings(character, scene).start_at == "PLAYHEAD":
        request = replace(request, frame_start=None)
    return to_json(recipe_from_request(request, request.seeds[0]))


def _source(request: Request, scene: Scene) -> str:
    """Return the values that the reading of the examples depends on."""
    plain = Request(request.armature, request.examples, 1, visual=request.visual, bone_names=request.bone_names)
    return f"{scene.name_full} {scene_rate(scene)} {to_json(recipe_from_request(plain, 0))}"


def _load_edited_path(character: Object, scene: Scene) -> None:
    """Update the curve from Edit Mode, which otherwise happens only on leaving that mode."""
    curve = readable_settings(character, scene).path_curve
    if curve is not None and curve.mode == "EDIT" and bpy.context.mode == "EDIT_CURVE":
        curve.update_from_editmode()
