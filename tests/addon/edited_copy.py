# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of the extension with a few more lines, and a separate process that reports what it does with them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import genmm_addon

TESTS = Path(__file__).parent


def found_in_copy(folder: Path, script: str, inserted: Iterable[tuple[str, str, str]]) -> dict[str, Any]:
    """Return what a script of this folder reports, in a process of its own with the copy.

    inserted: files of the copy, the text to insert into each, and the text before which it is; "" is a new file.
    """
    copy = folder / "genmm_addon"
    shutil.copytree(Path(genmm_addon.__file__).parent, copy)
    for name, more, before in inserted:
        text = (copy / name).read_text(encoding="utf-8") if before else ""
        assert not before or text.count(before) == 1
        (copy / name).write_text(text.replace(before, more + before) if before else more, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(TESTS)))}
    run = subprocess.run(
        [sys.executable, str(TESTS / script), str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (folder / "found.json").is_file(), run.stdout + run.stderr
    return dict(json.loads((folder / "found.json").read_text(encoding="utf-8")))
