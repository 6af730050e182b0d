# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of modal operators: Enter keeps, and Esc and the right mouse button cancel, in all of them."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from genmm_addon.interface.common.user_input import cancels, confirms
from genmm_addon.interface.steer.steering_keys import HELP

INTERFACE = Path(__file__).resolve().parents[3] / "genmm_addon" / "interface"
JOBS = {"running_beside.py", "preparing_first.py"}
"""Work in a thread: there is nothing to confirm, and Esc stops it."""
LISTENERS = {"live/operators.py", "handles/gizmos.py", "handles/range_ends.py"}
"""An operator that passes on all input, and gizmos, whose drags Blender ends or cancels."""


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("RET", "PRESS", (True, False)),
        ("NUMPAD_ENTER", "PRESS", (True, False)),
        ("ESC", "PRESS", (False, True)),
        ("RIGHTMOUSE", "PRESS", (False, True)),
        ("ESC", "RELEASE", (False, False)),
        ("RET", "RELEASE", (False, False)),
        ("LEFTMOUSE", "PRESS", (False, False)),
    ],
)
def test_enter_keeps_and_esc_cancels(key: str, value: str, expected: tuple[bool, bool]) -> None:
    event = SimpleNamespace(type=key, value=value)
    assert (confirms(event), cancels(event)) == expected  # type: ignore[arg-type]


def test_every_modal_operator_asks_for_the_same_keys() -> None:
    modal = [path for path in sorted(INTERFACE.rglob("*.py")) if "def modal(" in path.read_text()]
    assert len(modal) >= 8
    for path in modal:
        text = path.read_text()
        if path.name in JOBS:
            assert 'event.type == "ESC"' in text
        elif str(path.relative_to(INTERFACE)) not in LISTENERS:
            assert "confirms(event)" in text and "cancels(event)" in text, path
            assert not re.search(r'"(ESC|RET|RIGHTMOUSE|NUMPAD_ENTER)"', text), path


def test_steering_says_its_keys() -> None:
    assert "Enter: keep" in HELP and "Esc: discard" in HELP
