# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands about pages: `gallery`, and what is picked in one."""
