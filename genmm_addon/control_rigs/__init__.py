# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion written through the controls of a rig: feet on ground, bones at places, root motion."""
