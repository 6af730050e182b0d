# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation as pages: one site for the web, and plain HTML that ships with the extension."""
