# SPDX-License-Identifier: GPL-3.0-or-later
"""The channels that a character's examples animate, and the joint that carries their travel, for pins."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from bpy.types import Object, Scene

from ...animation.actions import curve_holders, fcurves_of, slot_for
from ...animation.curves import collect_curves
from ...animation.pins.action import Animated, animated_by
from ...animation.reading.example_spec import ExampleSpec, Mirrored, Reading
from ...animation.reading.examples import read_keyed
from ...animation.scene_time import scene_rate
from ...core import InputError
from ...core.constraints import highest_ground_speed
from ...core.examples import Purpose
from ...core.motion import find_root
from ...crowd.trails import AHEAD_SECONDS
from ...generation.stretches.material import FEW_FRAMES
from ...libraries.choosing import states_of
from ...libraries.clip_reading import read_clips
from ...requests.choices import chosen_examples
from ...requests.direction_values import bone_names_of
from ...requests.library_values import are_loaded, learns_from_library, library_choice
from ...state.properties import GENMM_PG_character
from ..common.known_while import KnownWhile


@dataclass(frozen=True)
class Learned:
    """The channels that a character's examples animate, and the joint that carries the travel.

    highest_speed: the joint's highest speed along the ground, averaged over a second, in armature units per second.
    """

    animated: Animated
    root: str
    highest_speed: float


_known = KnownWhile[Learned]()


def learned_from(character: Object, settings: GENMM_PG_character, scene: Scene) -> Learned:
    """Return what a character's examples animate. Raises InputError where none has keys."""
    if learns_from_library(settings):
        return _learned_from_clips(character, settings, scene)
    specs = _own_specs(character, settings)

    def learned() -> Learned:
        reading = read_keyed(character, specs, scene)
        root = _root_of(character, settings, reading)
        curves = [collect_curves(character, spec.action, spec.slot) for spec in specs]
        return Learned(animated_by(curves), root, _speed_of(reading, root))

    asked = settings.root_bone, tuple(mark_of(character, spec) for spec in specs)
    return _known.value(character.name_full, asked, learned)


def is_learned_quickly(settings: GENMM_PG_character) -> bool:
    """Return whether `learned_from` is fast enough to call while a panel is drawn, with no library to load."""
    return not learns_from_library(settings) or are_loaded(settings)


def _learned_from_clips(character: Object, settings: GENMM_PG_character, scene: Scene) -> Learned:
    """Return what some of the chosen clips animate. Raises InputError where none can be read."""
    choice = library_choice(settings)
    assert choice is not None
    bone_names = bone_names_of(settings)

    def learned() -> Learned:
        few = replace(choice, frames=min(choice.frames, FEW_FRAMES))
        _, reading, _ = read_clips(character, few, bone_names, Purpose(scene_rate(scene)))
        keyed = reading.keyed
        every = frozenset((*keyed.rotations, *keyed.locations, *keyed.scales))
        animated = Animated(every, frozenset(keyed.locations), frozenset(keyed.scales))
        root = _root_of(character, settings, reading)
        return Learned(animated, root, _speed_of(reading, root))

    asked = settings.root_bone, choice, states_of(choice), bone_names, len(character.data.bones)
    return _known.value(character.name_full, asked, learned)


def _root_of(character: Object, settings: GENMM_PG_character, reading: Reading) -> str:
    names = reading.motions[0].skeleton.names
    if settings.root_bone and settings.root_bone not in names:
        raise InputError(f'{character.name} has no bone "{settings.root_bone}"; choose another as Root.')
    return str(settings.root_bone or names[find_root(reading.motions)])


def _speed_of(reading: Reading, root: str) -> float:
    motions = reading.motions
    return highest_ground_speed(motions, motions[0].skeleton.names.index(root), AHEAD_SECONDS)


def _own_specs(character: Object, settings: GENMM_PG_character) -> list[ExampleSpec]:
    """Return the examples that belong to this character; those of others say nothing about its bones."""
    specs = [choice.spec for choice in chosen_examples(character, settings.examples)]
    keyed = [
        replace(spec, mirrored=Mirrored.AS_RECORDED)
        for spec in specs
        if spec.action is not None and spec.armature in (None, character)
    ]
    if not keyed:
        raise InputError(f"Pins need an example with keys on {character.name}; add one of its actions.")
    return keyed


def mark_of(character: Object, spec: ExampleSpec) -> object:
    """Return a value that changes when an example or the character's bones do, as far as that is fast to notice."""
    curves: Any = fcurves_of(spec.action, spec.slot or slot_for(character, spec.action))
    muted = np.zeros(len(curves), bool)
    if len(muted):
        curves.foreach_get("mute", muted)
    groups = tuple(group.mute for holder in curve_holders(spec.action) for group in holder.groups)
    frames = spec.frame_start, spec.frame_end, *spec.action.frame_range[:]
    # The uid differs between files, whose characters and actions may have the same names.
    return spec.action.session_uid, spec.slot, frames, muted.tobytes(), groups, *character.data.bones.keys()
