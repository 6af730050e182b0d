# SPDX-License-Identifier: GPL-3.0-or-later
"""The motions that are measured: clips from files and of the sample character, lists of them, and their arrays."""
