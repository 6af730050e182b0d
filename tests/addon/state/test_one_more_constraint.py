# SPDX-License-Identifier: GPL-3.0-or-later
"""A constraint declared in one file, with one field of the request, appears wherever constraints do."""

from typing import Any

import pytest
from edited_copy import found_in_copy

HELD = '''\
"""Bones that hold still over scene frames, as rows of a list: `hand.R 40-70`."""

from dataclasses import dataclass, replace
from typing import ClassVar

from ..core.constraints import Constraint
from ..core.examples import ConstraintBytes
from .row_lists import FRAMES, NAME, RowList, quoted, unquoted


@dataclass(frozen=True)
class HeldBone:
    bone: str
    first: int
    last: int

    def __str__(self):
        return f"{quoted(self.bone)} {self.first}-{self.last}"

    shown = property(lambda self: self.bone)
    icon = "BONE_DATA"


@dataclass(frozen=True)
class Held(Constraint):
    bones: tuple
    memory: ClassVar = ConstraintBytes(composing=64.0)
    why_not_in_crowds: ClassVar = "A crowd moves; let go of the bones."
    why_not_in_loops: ClassVar = "A loop moves; let go of the bones."

    def why_not_replaced(self, first, end, start):
        inside = [at.start for _, at in self.bones if at.start < end and at.stop > first]
        return f"A bone is held from frame {inside[0] + start}; choose another stretch." if inside else ""

    def finished(self, task, composed, walk, span):
        rotations = composed.motion.rotations.copy()
        for joint, at in self.bones:
            rotations[at, joint] = rotations[at.start, joint]
        return replace(composed, motion=replace(composed.motion, rotations=rotations))


def _constraint(rows, result):
    bones = [(result.joint(row.bone, "the held bones"), result.within(row.first, row.last, f'"{row}"')) for row in rows]
    return (Held(tuple(bones)),) if bones else ()


def _read(match):
    return HeldBone(unquoted(match[1]), int(match["first"]), int(match["last"]))


HELD = RowList("held bone", "hand.R 40-70", HeldBone, rf"{NAME}\\s+{FRAMES}", _read, _constraint)
'''
FIELD = """\
    held: str = setting(
        "",
        "Held Bones",
        "Bones that hold still",
        option=Option("--held", "bones that hold still", "LIST", "direction"),
        panel="feet",
        take=HELD,
        sparse=True,
        constraint=Held,
    )
"""
DECLARED = (
    ("animation/held_bones.py", HELD, ""),
    ("generation/request.py", "from ..animation.held_bones import HELD, Held\n", "from ..core import ("),
    ("generation/request.py", FIELD, "    bone_names: tuple["),
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the places at which a separate process with one more constraint has found it."""
    return found_in_copy(tmp_path_factory.mktemp("one_more"), "one_more_constraint.py", DECLARED)


def test_the_panel_and_adjust_last_operation_have_its_list(found: dict[str, Any]) -> None:
    assert found["property"] == ["STRING", "Held Bones", ""]
    assert found["rows"] == ["arm", "5\N{EN DASH}9", "hand", "10\N{EN DASH}20"]
    assert found["buttons"] == [1, 2]
    assert "held" in found["adjusted"]


def test_its_rows_are_added_and_removed_by_the_operators_of_all_lists(found: dict[str, Any]) -> None:
    assert found["added"] == "spine 3-4, arm 5-9, hand 10-20"


def test_results_follow_it_and_recipes_and_settings_files_hold_it_in_its_normal_form(found: dict[str, Any]) -> None:
    still, moving = found["moved"]
    assert still < 1e-5 < 1e-2 < moving
    assert found["recipe"] == "hand 10-20, arm 5-9"
    assert found["imported"] == "arm 5-9, hand 10-20"


def test_its_memory_is_estimated_before_anything_is_computed(found: dict[str, Any]) -> None:
    assert found["memory"] == [64.0]


def test_loops_crowds_and_regenerated_stretches_ask_it(found: dict[str, Any]) -> None:
    assert found["loop"] == "A loop moves; let go of the bones."
    assert found["crowd"] == "A crowd moves; let go of the bones."
    assert found["stretch"] == "A bone is held from frame 10; choose another stretch."


def test_the_command_line_takes_it_and_its_help_names_it(found: dict[str, Any]) -> None:
    assert found["said"] == {"held": "hand 1-9"}
    assert "--held LIST" in found["help"] and "bones that hold still" in found["help"]


def test_a_wrong_text_is_refused_in_a_sentence_with_an_example(found: dict[str, Any]) -> None:
    assert found["no text"] == '"hand" is not a held bone; write it as hand.R 40-70.'
    assert found["no bone"] == '"Hero" has no bone "tail"; choose one of its bones in the held bones.'
    assert found["outside"] == (
        '"hand 30-90" is outside the motion, which has frames 1 to 40; move it into the motion.'
    )
    assert found["turned"] == '"hand 9-3" ends before it begins; give its first frame first.'
