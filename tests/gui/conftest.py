# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder that tests of windows share: pytest puts it on the path for the rooms below, as it does for this file."""
