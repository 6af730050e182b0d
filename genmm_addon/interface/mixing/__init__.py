# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples of other characters, and the examples of each part."""
