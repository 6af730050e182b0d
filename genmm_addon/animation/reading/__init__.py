# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples read as motions, from their keys or from evaluated poses."""
