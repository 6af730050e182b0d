# SPDX-License-Identifier: GPL-3.0-or-later
"""Help: pages in the window, and the button in each panel's header."""
