# SPDX-License-Identifier: GPL-3.0-or-later
"""One operator for several choices of an enumerated property, each with its own tooltip, conditions and function."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, cast

from bpy.props import EnumProperty
from bpy.types import Context, Event, Object, UILayout

from ...core import InputError
from ...state.properties import GENMM_PG_character, ensure_settings
from ...state.selection import character_or_reason
from .blender_bases import Outcome
from .character_operator import CharacterOperator

CHOICE = "genmm_choice"
"""Member of a button's context that tells `poll`, which gets no properties, the choice of the button."""


@dataclass(frozen=True)
class Operation:
    """One value of the property: its texts, and the function that acts on the character.

    `act` gets the operator, the character and its settings; what it returns, if anything, is the operator's outcome.
    `why_not` returns a sentence on why the choice cannot act, or "". Where `fields` names properties, a button asks
    for them in a dialog, once `prepare` has set their values; `unused` returns those that the others make meaningless.
    """

    label: str
    tooltip: str
    act: Callable[[Any, Context, Object, GENMM_PG_character], Outcome | None]
    why_not: Callable[[Context, Object], str] = lambda _context, _character: ""
    fields: tuple[str, ...] = ()
    prepare: Callable[[Any, Context, Object], None] | None = None
    unused: Callable[[Any], Collection[str]] = lambda _operator: ()


def one_of(choices: Mapping[str, Operation], name: str, description: str) -> Any:
    """Return the enumerated property."""
    items = [(key, choice.label, choice.tooltip) for key, choice in choices.items()]
    return EnumProperty(name=name, description=description, items=items, options={"SKIP_SAVE"})


class ChoiceOperator(CharacterOperator):
    """Mixin placed before `bpy.types.Operator`; a subclass has the enumerated property and its choices."""

    # Cast and not annotated: where a base of an operator has annotated values, Blender 4.2 as a module crashes at exit.
    choices = cast("Mapping[str, Operation]", {})
    chosen_by = "rows"
    """The name of the enumerated property. An earlier id has a fixed value instead, as an attribute of the class."""

    settings_of = staticmethod(ensure_settings)
    """The function that returns the settings for `act`: those to write into, stored if needed."""

    @classmethod
    def description(cls, _context: Context, properties: Any) -> str:
        """Return the tooltip of the choice."""
        return cls.choices[cls._fixed() or getattr(properties, cls.chosen_by)].tooltip

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence on why the button's choice cannot act, or, where no button tells it, no choice; else ""."""
        chosen = cls._fixed() or getattr(context, CHOICE, None)
        asked = [cls.choices[chosen]] if chosen in cls.choices else cls.choices.values()
        reasons = {choice.why_not(context, character) for choice in asked}
        return reasons.pop() if len(reasons) == 1 else ""

    @classmethod
    def _fixed(cls) -> str:
        return str(vars(cls).get(cls.chosen_by, ""))

    def _has_choice(self) -> bool:
        return bool(self._fixed()) or self.properties.is_property_set(self.chosen_by)

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Act, or ask in a dialog; where no choice is given, as in a search, offer all of them in a menu."""
        if not self._has_choice():
            name, property_name = type(self).bl_idname, self.chosen_by

            def draw(menu: Any, _context: Context) -> None:
                menu.layout.operator_context = "INVOKE_DEFAULT"
                menu.layout.operator_enum(name, property_name)

            context.window_manager.popup_menu(draw, title=self.bl_label)
            return {"INTERFACE"}
        choice = self.choices[getattr(self, self.chosen_by)]
        character, _ = character_or_reason(context)
        if not choice.fields or character is None:
            return self.execute(context)
        if choice.prepare is not None:
            choice.prepare(self, context, character)
        return set(context.window_manager.invoke_props_dialog(self, title=choice.label))

    def act(self, context: Context, character: Object) -> Outcome | None:
        """Act by the choice. Raises InputError without a choice, or where it cannot act."""
        if not self._has_choice():
            raise InputError(f"Choose what to do: set {self.chosen_by} to {', '.join(self.choices)}.")
        choice = self.choices[getattr(self, self.chosen_by)]
        reason = choice.why_not(context, character)
        if reason:
            raise InputError(f"{reason}.")
        return choice.act(self, context, character, self.settings_of(character, context.scene))


def draw_choice(layout: UILayout, operator: str, chosen: str, *, by: str = "rows", **drawn: Any) -> Any:
    """Draw the button of a choice, which is disabled where the choice cannot act, and return its properties."""
    layout.context_string_set(CHOICE, chosen)
    properties = layout.operator(operator, **drawn)
    setattr(properties, by, chosen)
    return properties


def draw_choices(layout: UILayout, operator: str, choices: Mapping[str, Operation], *, by: str) -> None:
    """Draw the buttons of all choices in a column, each disabled where its choice cannot act."""
    column = layout.column(align=True)
    column.operator_context = "INVOKE_DEFAULT"
    for chosen, choice in choices.items():
        draw_choice(column, operator, chosen, by=by, text=choice.label)
