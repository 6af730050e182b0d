# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans: the frames of the examples that a result shows, one after another, and its crossfades."""
