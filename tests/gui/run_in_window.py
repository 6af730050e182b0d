# SPDX-License-Identifier: GPL-3.0-or-later
"""Run Blender on this display with a driving script, and do the clicks, keys and pictures that it requests.

Usage: run_in_window.py BLENDER SCRIPT OUTPUT
"""

import json
import os
import subprocess
import sys
from pathlib import Path

REQUEST = "GENMM-REQUEST "
ANSWERS = "answers"
"""Name of the file with one byte for each request that was done."""
SIZE = os.environ.get("GENMM_WINDOW", "1600 1000").split()
"""Width and height of the window in pixels."""
SCREEN = 1000
"""Height of the screen in pixels; Blender counts places from its bottom."""


def main(blender: str, script: str, output: str) -> int:
    """Run Blender and return its exit status; its output goes to OUTPUT/blender.log."""
    command = [blender, "--factory-startup", "--gpu-backend", "opengl", "-p", "0", str(SCREEN - int(SIZE[1])), *SIZE]
    process = subprocess.Popen(
        [*command, "--python", script, "--", output], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    with open(f"{output}/blender.log", "w", encoding="utf-8") as log:
        for line in process.stdout:
            log.write(line)
            if line.startswith(REQUEST):
                subprocess.run(json.loads(line.removeprefix(REQUEST)), check=True)
                with open(Path(output, ANSWERS), "ab") as answers:
                    answers.write(b".")
    return process.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
