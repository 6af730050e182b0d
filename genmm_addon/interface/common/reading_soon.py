# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading after a pause: drawing must not evaluate the scene, so that what it lacks is read once nothing changes."""

from collections.abc import Callable

import bpy
from bpy.types import Context

PAUSE_SECONDS = 0.3
"""Time without a change that ends a drag, in seconds. Before it, nothing is read, so that dragging stays smooth."""


class ReadingSoon:
    """A function that is called once, in the first window, after a pause in which it was not asked for again.

    It waits while the animation plays.
    """

    def __init__(self, read: Callable[[Context], None]) -> None:
        self._read = read
        self._timer = self._tick  # One object, by which Blender knows the timer.

    def ask(self) -> None:
        """Call the function after the pause; without a window nothing is drawn."""
        self.stop()
        if not bpy.app.background:
            bpy.app.timers.register(self._timer, first_interval=PAUSE_SECONDS)

    def stop(self) -> None:
        """Forget that the function was asked for."""
        if bpy.app.timers.is_registered(self._timer):
            bpy.app.timers.unregister(self._timer)

    def _tick(self) -> float | None:
        windows = bpy.context.window_manager.windows
        if any(window.screen.is_animation_playing for window in windows):
            return PAUSE_SECONDS
        for window in windows[:1]:
            with bpy.context.temp_override(window=window):
                self._read(bpy.context)
        return None
