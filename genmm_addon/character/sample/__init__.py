# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample character: its bones, body and motions, all computed from formulas."""
