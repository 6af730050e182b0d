# SPDX-License-Identifier: GPL-3.0-or-later
"""Films of many characters or files: crowds, libraries, exported files, and travel on a root bone for engines."""

import sys
from collections.abc import Iterable
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
    look,
    play,
    rigs,
    sample,
    still,
    take,
)
from window import OUTPUT

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core.library import Clip, library_of, save_library
from genmm_addon.state.exploring_properties import exploring

STYLES = {"GenMM Walk": "neutral", "GenMM Walk Tired": "tired", "GenMM Walk Proud": "proud"}
COLUMNS = 3


def crowd() -> None:
    choose(sample())
    sample().genmm.frames, sample().genmm.loop = 90, "TRAVEL"
    bpy.context.scene.genmm.crowd.agents = 36
    with context():
        bpy.ops.genmm.make_crowd("EXEC_DEFAULT", True)


def learn_from_library() -> None:
    """Make a library of the sample character's walks, and make the character learn from it."""
    walks = {name: motion for name, motion in sample_motions(30.0).items() if name in STYLES}
    clips = [Clip(f"walk_{STYLES[name]}", "", 0, 0, {"action": "walk", "style": STYLES[name]}) for name in walks]
    save_library(OUTPUT / "walks.npz", library_of(list(walks.values()), clips))
    choose(sample())
    with context():
        bpy.ops.genmm.add_library(filepath=str(OUTPUT / "walks.npz"))


def by_tags() -> None:
    """Show two results side by side, each from the clips chosen by a tag."""
    learn_from_library()
    sample().genmm.learn_from = "LIBRARY"
    for number, style in enumerate(("tired", "proud")):
        sample().genmm.library_tags = f"style={style}"
        before = set(rigs())
        generate(frames=120, seed=2)()
        (result,) = set(rigs()) - before
        result.location = (1.4 * (number + 1), 0.0, 0.0)
        label(f"style={style}", result)
    label("character", sample())


def search() -> None:
    learn_from_library()
    sample().genmm.learn_from = "ACTIONS"
    play("GenMM Walk Tired")
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 20, 60
    choose(sample())
    with context():
        bpy.ops.genmm.find_similar("EXEC_DEFAULT", True, count=4)


def found() -> Iterable[Moment]:
    """Yield the moments: each place that was found, while the character plays the frames of the search."""
    kept = exploring(bpy.context)
    look((0.0, -0.9, 0.9), 5.5, 1.1, 1.3)

    def show(place: int, frame: int) -> None:
        kept.active_place = place
        bpy.context.scene.frame_set(frame)

    for place in range(min(len(kept.places), 3)):
        for frame in range(20, 61, 7):
            yield lambda place=place, frame=frame: show(place, frame)  # type: ignore[misc]


def several() -> None:
    """Show nine results in rows."""
    generate(frames=90, variations=9)()
    for number, rig in enumerate(rigs()[1:]):
        rig.location = (1.3 * (number % COLUMNS), 1.6 * (number // COLUMNS), 0.0)
    for thing in (sample(), *sample().children_recursive):
        thing.hide_set(True)


def root_motion() -> None:
    """Show the travel on a bone, and the motion paths of this bone and of the hips."""
    choose(sample())
    with context():
        bpy.ops.genmm.root_motion_to_bone("EXEC_DEFAULT", True)
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.pose.select_all(action="DESELECT")
    rig = sample()
    rig.show_in_front = True
    for bone in ("root", "Hips"):
        chosen = rig.pose.bones[bone] if hasattr(rig.pose.bones[bone], "select") else rig.data.bones[bone]
        chosen.select = True
    shown = rig.pose.animation_visualization.motion_path
    shown.frame_start, shown.frame_end = 1, 120
    with context():
        bpy.ops.pose.paths_calculate(range="MANUAL")
    for name in ("show_frame_numbers", "show_keyframe_highlight", "show_keyframe_numbers"):
        setattr(shown, name, False)


take(
    [
        Film("crowd", [(crowd, 1.0)], still((2.5, 1.5, 0.4), 19.0, 0.5, 1.15, range(1, 80, 5))),
        Film("library", [by_tags], following(range(1, 75, 5), distance=6.0, turn=0.3)),
        Film("batch", [several], following(range(1, 75, 5), lambda: rigs()[1:], distance=11.0, turn=0.3, tilt=1.15)),
        Film("root_motion", [root_motion], still((0.0, -1.6, 0.6), 5.8, 2.3, 1.15, range(1, 100, 6))),
        Film("find_similar", [search], found),  # the last one, since its drawing remains until the search is forgotten
    ]
)
