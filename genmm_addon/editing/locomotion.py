# SPDX-License-Identifier: GPL-3.0-or-later
"""Locomotion sets: loops, starts, stops and turns cut from a character's examples, each an action with root motion."""

import itertools
from contextlib import ExitStack
from dataclasses import dataclass

import bpy
from bpy.types import Action, Object, Scene

from ..animation.actions import check_tweak_mode
from ..animation.curves import collect_curves
from ..animation.reading.example_spec import ExampleSpec, repetition_of, used_examples
from ..animation.reading.examples import read_examples
from ..animation.rig import scale_of
from ..animation.scene_time import scene_rate
from ..animation.stretches.linked import is_linked
from ..animation.writing import write_action
from ..character.naming import named
from ..control_rigs.root_motion.putting import check_on_bones, put_on_root
from ..core import InputError, computing
from ..core.examples import Move, MoveKind, locomotion_set, parted
from ..libraries.assets import mark_as_asset, preview_of


@dataclass(frozen=True, eq=False)
class SetRequest:
    """Examples to cut a set from, and the bone that gets its travel.

    examples: of the character or of others. strides: numbers of strides of the loops. root: the bone that carries the
    character; "" finds it. root_bone: the name of the bone for root motion.
    """

    examples: tuple[ExampleSpec, ...]
    strides: tuple[int, ...]
    root: str
    root_bone: str


@dataclass(frozen=True, eq=False)
class SetAction:
    """An action of a set. speed: in units of the world per second."""

    move: Move
    speed: float
    action: Action
    slot: str

    @property
    def description(self) -> str:
        """Return the kind, speed and length as a sentence."""
        travel = "" if self.move.kind is MoveKind.TURN else f", {self.speed:.2f} units/s"
        return f"{self.move.label}{travel}, {self.move.seconds:.2f} s, {self.move.motion.frames} frames"


@dataclass(frozen=True, eq=False)
class MadeSet:
    """The actions of a set, and sentences on what the examples do not show."""

    actions: tuple[SetAction, ...]
    missing: tuple[str, ...]


@computing()
def make_set(character: Object, scene: Scene, request: SetRequest) -> MadeSet:
    """Write a locomotion set as actions, marked as assets; the character plays what it did before.

    Raises InputError, with nothing changed, where the examples show no move, and for characters that cannot be changed.
    """
    _check(character)
    for spec in request.examples:
        if spec.action is not None and spec.armature in (None, character):
            check_on_bones(spec.name, character, collect_curves(character, spec.action, spec.slot))
    reading = read_examples(character, request.examples, scene=scene)
    if reading.visual:
        raise InputError(
            f'Constraints, drivers or NLA strips move "{character.name}"; bake an action first, so that the set can be '
            "written to its bones."
        )
    repetitions = [repetition_of(used.spec) for used in used_examples(request.examples)]
    takes = parted(reading.motions, repetitions, scene_rate(scene))
    found = locomotion_set(
        [motion for _, motion in takes],
        request.strides,
        request.root or None,
        repetitions=[repetitions[number] for number, _ in takes],
        frames_per_second=scene_rate(scene),
    )
    scale = scale_of(character)
    actions = []
    with ExitStack() as undoing:
        for move in found.moves:
            name = _unused(f"{character.name} {_name(move, scale)}")
            cyclic = move.kind is MoveKind.LOOP
            written = write_action(move.motion, reading.keyed, character, name=name, cyclic=cyclic)
            undoing.callback(bpy.data.actions.remove, written.action)
            put_on_root(character, scene, written.action, written.slot, name=request.root_bone, undoing=undoing)
            made = SetAction(move, move.speed * scale, written.action, written.slot)
            mark_as_asset(
                written.action,
                preview_of(move.motion),
                tags=[f"action={move.kind.value}", f"direction={move.direction}"],
                description=made.description,
            )
            actions.append(made)
        undoing.pop_all()
    return MadeSet(tuple(actions), found.missing)


def _name(move: Move, scale: float) -> str:
    """Return a name such as "forward_1.42", with the number of strides of longer loops."""
    speed = "" if move.kind is MoveKind.TURN else f"_{move.speed * scale:.2f}"
    return f"{move.label}{speed}" + (f"_x{move.strides}" if move.strides > 1 else "")


def _unused(name: str) -> str:
    """Return a name that no action has; Blender would replace the decimals of a speed by a number of its own."""
    names = itertools.chain([name], (named(name, f" ({number})") for number in itertools.count(2)))
    return next(free for free in names if free not in bpy.data.actions)


def _check(character: Object) -> None:
    """Raise InputError where the character cannot get actions with root motion."""
    if is_linked(character) or character.override_library is not None:
        raise InputError(f'"{character.name}" is linked or a library override; make it local first.')
    check_tweak_mode(character)
