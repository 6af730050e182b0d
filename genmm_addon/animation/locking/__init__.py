# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet locked over frames of the scene."""
