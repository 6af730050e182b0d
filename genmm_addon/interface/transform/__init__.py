# SPDX-License-Identifier: GPL-3.0-or-later
"""Transform: the active action restyled, and blended with another one."""
