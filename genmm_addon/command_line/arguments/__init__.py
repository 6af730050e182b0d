# SPDX-License-Identifier: GPL-3.0-or-later
"""The parser of arguments: options, seeds and help."""
