# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins: operators that key and edit them, and their drawing."""
