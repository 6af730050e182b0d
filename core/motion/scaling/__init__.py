# SPDX-License-Identifier: GPL-3.0-or-later
"""Inheritance of scales from joint to joint."""

from .inheritance import Inheritance, inheriting

__all__ = ["Inheritance", "inheriting"]
