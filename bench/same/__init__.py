# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of results, for comparing two versions of the code: `build.py bench --same`."""
