# SPDX-License-Identifier: GPL-3.0-or-later
"""Recognition of user input: Enter and Esc, undo and redo in the user's keymap, and the mouse over our own tab."""

from bpy.types import Context, Event, KeyMap

CATEGORY = "GenMM"
POINTING = {"LEFTMOUSE", "MOUSEMOVE", "INBETWEEN_MOUSEMOVE", "WHEELUPMOUSE", "WHEELDOWNMOUSE"}
NAVIGATING = {
    "MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM",
    "NDOF_MOTION",
}  # fmt: skip
"""Input that turns the view and is passed on to Blender."""
LOOKING = {*NAVIGATING, "MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}
"""The same, with the movement of the mouse, where an operator has no use for it."""
UNDOING = {"ed.undo", "ed.redo", "ed.undo_history"}
CONFIRMING = {"RET", "NUMPAD_ENTER"}
"""Keys that keep what a modal operator shows, as in Blender's own."""
CANCELING = {"ESC", "RIGHTMOUSE"}
"""Keys and buttons that leave everything as it was."""


def confirms(event: Event) -> bool:
    """Return whether this input keeps what a modal operator shows."""
    return event.type in CONFIRMING and event.value == "PRESS"


def cancels(event: Event) -> bool:
    """Return whether this input ends a modal operator and leaves everything as it was."""
    return event.type in CANCELING and event.value == "PRESS"


def is_undo(context: Context, event: Event) -> bool:
    """Return whether this key press would undo or redo."""
    if event.value != "PRESS":
        return False
    pressed = (event.type, event.ctrl, event.shift, event.alt, event.oskey)
    return pressed in _combinations(context)


def over_own_sidebar(context: Context, event: Event) -> bool:
    """Return whether the mouse moves or is pressed over a sidebar that shows our tab."""
    if event.type not in POINTING:
        return False
    for area in context.screen.areas if context.screen is not None else ():
        for region in area.regions if area.type == "VIEW_3D" else ():
            inside = region.x <= event.mouse_x < region.x + region.width
            inside = inside and region.y <= event.mouse_y < region.y + region.height
            if inside and region.type == "UI" and getattr(region, "active_panel_category", "") == CATEGORY:
                return True
    return False


def _combinations(context: Context) -> set[tuple[str, bool, bool, bool, bool]]:
    keymap: KeyMap | None = context.window_manager.keyconfigs.user.keymaps.get("Screen")
    items = keymap.keymap_items if keymap is not None else ()
    return {
        (item.type, bool(item.ctrl), bool(item.shift), bool(item.alt), bool(item.oskey))
        for item in items
        if item.active and item.idname in UNDOING
    }
