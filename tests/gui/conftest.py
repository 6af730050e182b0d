# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder that the tests of windows share; pytest adds it to the path because of this file."""

import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))  # for the folder `building`

# Pictures for the documents need smooth edges and a wide window, which tests do not: each redraw draws all its pixels.
os.environ.setdefault("GENMM_SMOOTH_VIEWPORT", "0")
os.environ.setdefault("GENMM_WINDOW", "1300 1000")
