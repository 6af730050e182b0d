# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions made into others of the same length or action: restyled, and blended with another one."""
