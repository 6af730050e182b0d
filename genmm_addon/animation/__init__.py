# SPDX-License-Identifier: GPL-3.0-or-later
"""Exact reading and writing of an armature's animation; the only package that accesses F-curves."""
