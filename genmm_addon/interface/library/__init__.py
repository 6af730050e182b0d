# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries in the sidebar: learning from them, and building them."""
