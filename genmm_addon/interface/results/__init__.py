# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of variations: looking at them, keeping, applying and regenerating them."""
