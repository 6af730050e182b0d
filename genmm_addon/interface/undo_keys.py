# SPDX-License-Identifier: GPL-3.0-or-later
"""Which key presses mean undo or redo, as the user has set them."""

from bpy.types import Context, Event, KeyMap

UNDOING = {"ed.undo", "ed.redo", "ed.undo_history"}


def is_undo(context: Context, event: Event) -> bool:
    """Whether this press would undo or redo."""
    if event.value != "PRESS":
        return False
    pressed = (event.type, event.ctrl, event.shift, event.alt, event.oskey)
    return pressed in _combinations(context)


def _combinations(context: Context) -> set[tuple[str, bool, bool, bool, bool]]:
    keymap: KeyMap | None = context.window_manager.keyconfigs.user.keymaps.get("Screen")
    items = keymap.keymap_items if keymap is not None else ()
    return {
        (item.type, bool(item.ctrl), bool(item.shift), bool(item.alt), bool(item.oskey))
        for item in items
        if item.active and item.idname in UNDOING
    }
