# SPDX-License-Identifier: GPL-3.0-or-later
"""Transform: new actions made by restyling, blending or editing attributes of the active one."""
