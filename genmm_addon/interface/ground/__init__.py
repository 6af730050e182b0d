# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground under a character: for its next motion, and for the action that it plays."""
