# SPDX-License-Identifier: GPL-3.0-or-later
"""Generation of results from a request: reading, computing and writing, with recipes, measures and threads."""
