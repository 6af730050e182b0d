# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin of pytest that writes down the functions of the package that each test calls, and its processor time.

One JSON line a test: its id, its seconds of processor and of its child processes, and the functions, each as its file
in the package and its first line. Calls in child processes are not seen.
"""

import json
import os
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType

import pytest

LIST = "GENMM_REACHED"
"""Variable that names the file to write to."""
PACKAGE = f"{os.sep}genmm_addon{os.sep}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Run a test and write its line."""
    called: dict[int, CodeType] = {}

    def note(frame: FrameType, event: str, argument: object) -> None:
        called[id(frame.f_code)] = frame.f_code

    before = os.times()
    threading.settrace(note)
    sys.settrace(note)
    try:
        return (yield)
    finally:
        sys.settrace(None)
        threading.settrace(None)
        after = os.times()
        own, children = (after.user - before.user, after.children_user - before.children_user)
        functions = sorted(
            {
                (code.co_filename.rpartition(PACKAGE)[2], code.co_firstlineno)
                for code in called.values()
                if PACKAGE in code.co_filename
            }
        )
        line = json.dumps([item.nodeid, round(own, 2), round(children, 2), functions])
        with Path(os.environ[LIST]).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
