"""What the methods of store clients do, by name, from the table `store-clients`. A meaning is a kind and its flags."""

from __future__ import annotations

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.stores import StoreClients

TABLE = read_table("store-clients", StoreClients)
#: Library → the family of stores that its clients belong to.
CLIENT_MODULES = {library: family for family, libraries in TABLE.libraries.items() for library in libraries}
IN_MEMORY, MEMORY_ALWAYS = frozenset(TABLE.in_memory), frozenset(TABLE.memory_always)
MEMORY_BY_DEFAULT, LOCAL_BY_DEFAULT = frozenset(TABLE.memory_by_default), frozenset(TABLE.local_by_default)
CREATING, SQL_TEXTS = frozenset(TABLE.creating), frozenset(TABLE.statements)
#: Method of any object → meaning.
METHODS = {name: entry.meaning for entry in TABLE.methods if not entry.family for name in entry.names}
#: Family and path or method → meaning.
FAMILY_METHODS = {
    f"{entry.family} {name}": entry.meaning for entry in TABLE.methods if entry.family for name in entry.names
}
DROPPING, DELETING = frozenset(TABLE.dropping), frozenset(TABLE.deleting)
NOUNS = frozenset(TABLE.containers)
GRANTING, ACCOUNTS = frozenset(TABLE.granting), frozenset(TABLE.accounts)
SETTING, SETTINGS = frozenset(TABLE.setting), frozenset(TABLE.settings)
