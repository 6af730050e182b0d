# SPDX-License-Identifier: GPL-3.0-or-later
"""The ten tasks of the tour on the sample character."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))
sys.path.insert(2, str(Path(__file__).resolve().parent))

import window
from tour_tasks import TASKS, new_file, only_sample, steps_of

import genmm_addon

genmm_addon.register()
window.run([step for task in TASKS for step in steps_of(task, [(new_file, 0.0), (only_sample, 0.0)])])
