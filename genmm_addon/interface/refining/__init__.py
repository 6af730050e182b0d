# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse keys and the full motion back, and Make Natural, in the GenMM menu and the dope sheet's tab."""
