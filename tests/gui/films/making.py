# SPDX-License-Identifier: GPL-3.0-or-later
"""Films of new motion: generated, varied, looped, mirrored, in parts, with planted feet and with faces."""

import sys
from collections.abc import Iterable
from math import sin
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bpy
from film import (
    Film,
    Moment,
    choose,
    context,
    following,
    generate,
    label,
    learn_from,
    look,
    made,
    new_action,
    play,
    rigs,
    sample,
    show,
    take,
    view,
)
from window import rigify_human

FRAMES = range(1, 58, 4)
ALONE = 4
"""Number of moments with the example alone."""
SIDE = 1.6
"""Distance between an example and the result beside it, in meters."""


def appear() -> Iterable[Moment]:
    """Yield the moments: the example alone, and then the result beside it."""
    result = made()
    show(result, False)
    for number, moment in enumerate(following(FRAMES, lambda: [sample(), result], distance=5.5, turn=0.2)()):
        if number == ALONE:
            yield lambda: show(result, True)
        yield moment


def beside() -> None:
    """Put the result beside the example, with labels on both."""
    made().location = sample().location
    made().location.x += SIDE
    label("example", sample())
    label("result", made())


def row() -> None:
    """Put all results in a row beside the example."""
    for number, rig in enumerate(rigs()):
        rig.location = (1.1 * number, 0.0, 0.0)


def from_wave() -> None:
    play("GenMM Wave")
    learn_from("GenMM Wave")


def from_mirrored_dance() -> None:
    play("GenMM Dance")
    learn_from("GenMM Dance")
    sample().genmm.examples[0].mirrored = "MIRRORED"


def upper_and_lower() -> None:
    learn_from("GenMM Walk", "GenMM Dance")
    choose(sample())
    with context():
        bpy.ops.genmm.make_parts(kind="UPPER_LOWER")
    settings = sample().genmm
    settings.parts = "PAINTED"
    for row in settings.part_list:
        row.use_examples = True
        row.excluded.add().number = 1 if row.name == "Lower Body" else 0


def three_walks() -> None:
    learn_from("GenMM Walk Tired", "GenMM Walk Proud")


def face() -> None:
    """Add a shape key that swells the head, keyed along with the walk."""
    mesh = next(
        child for child in sample().children_recursive if child.type == "MESH" and "Head" in child.vertex_groups
    )
    mesh.shape_key_add(name="Basis")
    shape = mesh.shape_key_add(name="Swollen")
    group = mesh.vertex_groups["Head"].index
    places = [vertex.co.copy() for vertex in mesh.data.vertices if any(one.group == group for one in vertex.groups)]
    middle = sum(places[1:], places[0]) / len(places)
    for vertex in mesh.data.vertices:
        if any(one.group == group for one in vertex.groups):
            shape.data[vertex.index].co = middle + 1.7 * (vertex.co - middle)
    for frame in range(1, 160, 3):
        shape.value = max(0.0, sin(frame / 9.0))
        shape.keyframe_insert("value", frame=frame)


def bring_to_rigify() -> None:
    """Add Rigify's human, of which the bones that deform are shown, and bring the sample's walk to its controls."""
    with context():
        rig = rigify_human(-SIDE)
        rig.data.display_type, rig.data.show_bone_custom_shapes = "OCTAHEDRAL", False
        for collection in rig.data.collections_all:
            collection.is_visible = collection.name == "DEF"
        overlay = view()[0].spaces.active.overlay
        overlay.show_overlays = overlay.show_bones = True
        choose(rig)
        playing = sample().animation_data.action.name
        bpy.ops.genmm.bring_action("EXEC_DEFAULT", True, origin="ARMATURE", armature=sample().name, action=playing)


def feet() -> Iterable[Moment]:
    """Return the moments: a close view of the feet at one place of the ground."""
    scene = bpy.context.scene
    scene.frame_set(40)
    toes = sample().matrix_world @ sample().pose.bones["Toes.L"].head
    look((toes.x, toes.y, 0.3), 2.1, 1.3, 1.35)
    return range(26, 56, 2)


def lock_foot() -> None:
    learn_from("GenMM Walk")
    choose(sample())
    with context():
        bpy.ops.genmm.add_row(rows="foot_locks", bone="Toes.L", kind="ALWAYS", first=31, last=48)


take(
    [
        Film("generate", [generate(frames=120), beside], appear),
        Film(
            "variations",
            [generate(frames=120, variations=4), row],
            following(FRAMES, distance=9.0, turn=0.0, tilt=1.2),
        ),
        Film("examples", [three_walks, new_action(frames=240, seed=2)], following(range(1, 230, 14), turn=0.9)),
        Film(
            "bring",
            [bring_to_rigify],
            following(range(1, 80, 5), lambda: [sample()], distance=6.0, turn=0.3, aside=-SIDE / 2),
        ),
        Film(
            "mirrored",
            [from_mirrored_dance, generate(frames=150), beside],
            following(range(1, 80, 5), turn=0.0, tilt=1.4),
        ),
        Film(
            "parts",
            [from_wave, generate(frames=120, parts="LIMBS"), beside],
            following(range(1, 80, 5), turn=0.0, tilt=1.4, height=1.2),
        ),
        Film("mixing", [upper_and_lower, new_action(frames=150)], following(range(1, 80, 5), turn=0.6)),
        Film("loop", [new_action(frames=40, loop="IN_PLACE")], following(range(1, 81, 5), turn=0.9)),
        Film("foot_lock", [lock_foot, new_action(frames=120, seed=1)], feet),
        Film("faces", [face, generate(frames=120), beside], following(FRAMES, turn=0.1, distance=4.5, height=1.1)),
    ]
)
