# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of a result, regenerated in place, with the sources and recipe of the result."""
