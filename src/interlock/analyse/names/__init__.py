"""What names in a path say about it, as data. `traits` reads it; adding a name touches one line of one file here.

A meaning is one or more traits. `secret` is what nobody else should read, `startup` what runs by itself later; a
second word says of which sort it is, so that a rule can say why. Names are compared in lower case. Several names in a
row say better than a folder of theirs alone what it is, so a folder that is ordinary inside a special one has no
meaning at all.
"""

from __future__ import annotations

from interlock.analyse.names import secrets, settings, startup

FOLDERS = {**secrets.FOLDERS, **startup.FOLDERS, **settings.FOLDERS}
PATHS = {**secrets.PATHS, **startup.PATHS, **settings.PATHS}
NAMES = {**secrets.NAMES, **startup.NAMES, **settings.NAMES}
SUFFIXES = secrets.SUFFIXES
FOLDER_SUFFIXES = startup.FOLDER_SUFFIXES
