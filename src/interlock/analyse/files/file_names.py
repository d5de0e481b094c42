"""Tables of file and folder names with a known meaning. `traits` looks them up.

A path of several names takes precedence over each folder in it, so an ordinary folder inside a special one is listed
with no flags.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.files import FileNames, Files, SecretWords

_ENTRIES = [entry for name in ("secrets", "startup-files", "settings-files") for entry in read_table(name, Files).files]


def _collect(names_of: Callable[[FileNames], tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the flags of each name. A name in several entries, such as settings with a token, has all their flags."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in _ENTRIES:
        for name in () if entry.below else names_of(entry):
            found[name] = (*found.get(name, ()), *entry.flags)
    return found


FOLDERS = _collect(lambda entry: entry.folders)
PATHS = _collect(lambda entry: entry.paths)
NAMES = _collect(lambda entry: entry.names)
ENDINGS = _collect(lambda entry: entry.endings)
FOLDER_ENDINGS = {(entry.below, end): entry.flags for entry in _ENTRIES if entry.below for end in entry.endings}

_WORDS = read_table("secret-words", SecretWords)
SECRET_WORDS = frozenset(_WORDS.secret)
SECRET_PAIRS = frozenset(_WORDS.secret_pairs)
SECRET_FOLDERS = frozenset(_WORDS.secret_folders)
VARIANTS = frozenset(_WORDS.variants)
DATA_ENDINGS = frozenset(_WORDS.data_endings)
NOTE_ENDINGS = DATA_ENDINGS.union(_WORDS.document_endings)
PASSWORD_LISTS = _WORDS.password_lists
ABOUT_PASSWORDS = frozenset(_WORDS.about_passwords)
PUBLIC_PATHS = frozenset(_WORDS.public_paths)
PUBLIC_ENDINGS = _WORDS.public_endings
PUBLIC_WORDS = frozenset(_WORDS.public_words)
