# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse Keys, Restore Full Motion and Make Natural, in the GenMM menu and the dope sheet's tab."""
