# SPDX-License-Identifier: GPL-3.0-or-later
"""A layout that records what a panel draws (labels, values and buttons), without a window."""

from dataclasses import dataclass, field
from typing import Any

import bpy


class Values:
    """Replacement of a button's values: one that the operator does not have raises AttributeError, as in a window."""

    def __init__(self, operator: str) -> None:
        module, function = operator.split(".")
        self.__dict__["_known"] = getattr(getattr(bpy.ops, module), function).get_rna_type().properties.keys()

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self.__dict__["_known"]:
            raise AttributeError(f"The operator has no value {name}.")
        super().__setattr__(name, value)


@dataclass
class RecordedLayout:
    """Replacement of a UILayout; all nested layouts write to the same lists.

    disabled: the names of the values and buttons in disabled rows; of a value in a collection, its name there.
    """

    labels: list[tuple[str, str]] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    buttons: list[str] = field(default_factory=list)
    options: list[dict[str, Any]] = field(default_factory=list)
    menus: list[str] = field(default_factory=list)
    disabled: list[str] = field(default_factory=list)
    operator_context: str = "INVOKE_DEFAULT"
    enabled: bool = True

    def label(self, *, text: str = "", icon: str = "NONE", **_: object) -> None:
        self.labels.append((text, icon))

    def prop(self, data: object, name: str, **_: object) -> None:
        self.values.append(name)
        if not self.enabled:
            self.disabled.append(getattr(data, "name", name))

    def prop_search(self, _data: object, name: str, *_rest: object, **_: object) -> None:
        self.values.append(name)

    def prop_enum(self, _data: object, name: str, _item: str, **_: object) -> None:
        if name not in self.values:
            self.values.append(name)

    def operator(self, name: str, **_: object) -> "Values":
        self.buttons.append(name)
        if not self.enabled:
            self.disabled.append(name)
        self.options.append({})
        return Values(name)

    def template_list(self, *_: object, **__: object) -> None: ...

    def menu(self, name: str, **_: object) -> None:
        self.menus.append(name)

    def context_string_set(self, *_: object) -> None: ...

    def template_icon(self, **_: object) -> None: ...

    def separator(self, **_: object) -> None: ...

    def progress(self, **_: object) -> None: ...

    def row(self, **_: object) -> "RecordedLayout":
        return RecordedLayout(self.labels, self.values, self.buttons, self.options, self.menus, self.disabled)

    column = box = split = grid_flow = row


def drawn(panel: type, context: Any, method: str = "draw") -> RecordedLayout:
    """Return the records of what a panel's method draws for the context."""
    layout = RecordedLayout()
    # Panels cannot be instantiated, so their functions get an object with the panel's other attributes.
    stand_in = type(panel.__name__, (_Attributes,), {"of": panel, "layout": layout})()
    getattr(panel, method)(stand_in, context)
    return layout


class _Attributes:
    of: type

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.of, name)
        return value.__get__(self) if hasattr(value, "__get__") else value
