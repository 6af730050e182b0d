# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder that tests of windows share: pytest puts it on the path for the rooms below, as it does for this file."""

import os

# Pictures for the documents are taken smooth; a test looks at what is there.
os.environ.setdefault("GENMM_SMOOTH_VIEWPORT", "0")
