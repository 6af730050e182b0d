# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample character: its bones, its body and its motions, all made by formula."""
