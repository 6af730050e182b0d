# SPDX-License-Identifier: GPL-3.0-or-later
"""The GenMM menu of the editors in which animators work, and the tab in the dope sheet's sidebar."""
