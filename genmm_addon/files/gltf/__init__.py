# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF files, looked at before Blender's importer reads them."""
