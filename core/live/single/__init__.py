# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of a single frame in plain numbers: for three numbers, a call of NumPy takes longer than the computation."""
