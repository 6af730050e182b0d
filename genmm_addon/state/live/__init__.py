# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of characters that are steered live."""
