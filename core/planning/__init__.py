# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans: the sequence of example frames that a result shows, and its crossfades."""
