# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries of clips, built from folders of motion files."""
