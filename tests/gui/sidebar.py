# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons of the sidebar, found by the command or the property under the mouse, which a new panel does not move.

Scripts may set `window.view` to the sidebar of another editor, so it is looked up at each use.
"""

from collections.abc import Callable, Iterator, Sequence

import bpy
import window
from window import ask, click, move_mouse, point_in_window, scroll, within


def sidebar_point(right: float, down: float) -> tuple[float, float]:
    """Return a point of the sidebar in the window. right: share of its width. down: pixels from its top."""
    region = window.view()[1]
    return point_in_window(region, right * region.width, region.height - down)


def scroll_up() -> None:
    """Scroll the sidebar to its top."""
    move_mouse(*sidebar_point(0.5, 300))
    scroll("4")


def scroll_down() -> None:
    """Scroll the sidebar to its end; the mouse is over it after the press of a button."""
    scroll("5")


def press(down: float, right: float = 0.5) -> Callable[[], None]:
    """Return a step that clicks a point of the sidebar."""
    return lambda: click(*sidebar_point(right, down))


ROW = 19
"""Pixels between two places of a search: less than the height of a button, 20."""
SCROLLED = 0.3
"""Seconds until the sidebar has scrolled to its top or its end."""
PATIENT = 0.1
"""Seconds at each place of a second search, since a busy machine may draw what is under the mouse too late."""
_seen: dict[tuple[float, int], str] = {}
"""Commands and paths that were under the mouse: by share of the sidebar's width, and pixels from its top unscrolled."""


def under_mouse() -> str:
    """Return the command of the sidebar's button under the mouse, or the path of its property; "" without a button."""
    with within(*window.view()):
        for copy in (bpy.ops.ui.copy_python_command_button, bpy.ops.ui.copy_data_path_button):
            if copy.poll():  # type: ignore[call-arg]  # the stub takes it for a function of a class
                bpy.context.window_manager.clipboard = ""
                copy()
                return str(bpy.context.window_manager.clipboard)
    return ""


def scrolled_away() -> float:
    """Return the number of pixels by which the sidebar is scrolled down."""
    region = window.view()[1]
    return -float(region.view2d.region_to_view(0, region.height)[1])


def places_shown(name: str, right: float) -> list[int]:
    """Return the visible places to search for a button, downward: where it was seen, where nobody looked, the others.

    Each look redraws the window, and most buttons stay where they were.
    """
    top = scrolled_away()
    shown = [place for place in range(0, round(top) + window.view()[1].height, ROW) if place > top]
    return sorted(shown, key=lambda place: (name not in _seen.get((right, place), ""), (right, place) in _seen))


def look_for(name: str, right: float) -> Iterator[float]:
    """Move the mouse until it is over a button; yield the seconds to wait after each move.

    If the button is not visible, the sidebar is scrolled to its top and to its end; then all of it is searched again,
    slowly, since it may have changed. Raises LookupError if there is no such button.
    """
    looked: set[int] = set()
    for again, wheel in ((False, ""), (False, "4"), (False, "5"), (True, "4"), (True, "5")):
        if wheel == "5" or (wheel == "4" and scrolled_away() > 0):
            scroll(wheel)
            yield SCROLLED
        for place in places_shown(name, right):
            if place in looked and not again:
                continue
            looked.add(place)
            move_mouse(*sidebar_point(right, place - scrolled_away()))
            yield PATIENT if again else 0.0
            _seen[right, place] = under_mouse()
            if name in _seen[right, place]:
                return
    raise LookupError(f"The sidebar shows no button {name}.")


def press_button(name: str, right: float = 0.5, how: str = "click") -> Callable[[], float | None]:
    """Return a step that presses a button anywhere in the sidebar.

    name: a part of the button's command or of its property's path. how: "mousedown" begins a drag.
    """
    return point_at(name, right, (how, "1"))


def point_at(name: str, right: float = 0.5, then: Sequence[str] = ("sleep", "0")) -> Callable[[], float | None]:
    """Return a step that moves the mouse to a button, as `press_button` does. then: xdotool's commands that follow."""
    looking: Iterator[float] | None = None

    def look() -> float | None:
        nonlocal looking
        if looking is None:
            looking = iter(()) if name in under_mouse() else look_for(name, right)
        wait = next(looking, None)
        if wait is None:
            looking = None
            ask("xdotool", *then)
        return wait

    look.__name__ = f"point_at_{name}"
    return look
