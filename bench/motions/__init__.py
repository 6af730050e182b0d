# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions that are measured: clips of files and of the sample, which of them, and their arrays."""
