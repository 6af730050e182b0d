# SPDX-License-Identifier: GPL-3.0-or-later
"""All entries of the viewport's menus, as Blender's menu search collects them, with default preferences."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))
sys.path.insert(2, str(Path(__file__).resolve().parent))

import bpy
import window
from menu_search import ARROW
from window import context, facts

DEEPEST = 6
"""Most menus inside one another."""


class Walk:
    """A layout that follows menus and notes their entries; nested layouts are the same."""

    def __init__(self, path: str, entries: list[list[Any]], depth: int) -> None:
        self.path, self.entries, self.depth = path, entries, depth

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: self

    def note(self, text: str, operator: str, values: SimpleNamespace) -> None:
        self.entries.append([f"{self.path}{text}", operator, values])

    def operator(self, name: str, text: str | None = None, **_: Any) -> SimpleNamespace:
        values = SimpleNamespace()
        module, function = name.split(".")
        rna = getattr(getattr(bpy.ops, module), function).get_rna_type()
        self.note(rna.name if text is None else text, name, values)
        return values

    def operator_enum(self, name: str, choice: str, **_: Any) -> None:
        module, function = name.split(".")
        rna = getattr(getattr(bpy.ops, module), function).get_rna_type()
        for item in rna.properties[choice].enum_items:
            self.note(item.name, name, SimpleNamespace(**{choice: item.identifier}))

    def prop(self, data: Any, name: str, text: str | None = None, **_: Any) -> None:
        self.note(data.bl_rna.properties[name].name if text is None else text, "", SimpleNamespace(name=name))

    def menu(self, name: str, text: str | None = None, **_: Any) -> None:
        kind = getattr(bpy.types, name, None)
        if kind is not None and hasattr(kind, "draw") and self.depth < DEEPEST:
            walk(kind, f"{self.path}{kind.bl_label if text is None else text} {ARROW} ", self.entries, self.depth + 1)

    def menu_contents(self, name: str) -> None:
        walk(getattr(bpy.types, name), self.path, self.entries, self.depth + 1)


def walk(menu: Any, path: str, entries: list[list[Any]], depth: int = 0) -> None:
    """Note the entries of a menu and of those inside it; a menu that cannot be drawn here ends where it fails."""

    class StandIn:
        layout = Walk(path, entries, depth)

        def __getattr__(self, name: str) -> Any:
            value = getattr(menu, name)
            return value.__get__(self) if hasattr(value, "__get__") else value

    try:
        menu.draw(StandIn(), bpy.context)
    except Exception as error:
        facts.setdefault("not_drawn", []).append(f"{menu.__name__}: {error}")


def note_entries() -> None:
    entries: list[list[Any]] = []
    with context():
        for name in ("TOPBAR_MT_editor_menus", "VIEW3D_MT_editor_menus"):
            walk(getattr(bpy.types, name), "", entries)
    facts["entries"] = [[path, operator, sorted(vars(values).items())] for path, operator, values in entries]


window.run([(window.register_open, 0.0), (window.only_sample, 0.0), (note_entries, 0.5)])
