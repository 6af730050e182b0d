# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts of hands with the character's own body, kept on other proportions."""
