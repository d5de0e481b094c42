"""Names and words in names of functions, methods and arguments that mean the same in many libraries."""

from interlock.knowledge.table_types import Table, WordSet, WordTable


class MethodWords(WordTable, frozen=True, forbid_unknown_fields=True):
    """Words in names of functions, methods and arguments of scripts and Python."""

    deleting: WordSet
    writing: WordSet
    reading: WordSet
    running: WordSet
    whole: WordSet
    asking: WordSet
    joining: WordSet
    object_makers: WordSet
    serialisers: WordSet
    sending: WordSet
    sending_of_clients: WordSet
    opening: WordSet
    hashing: WordSet
    allocating: WordSet
    waiting: WordSet
    frame_writers: WordSet
    table_writers: WordSet
    narrowing: WordSet
    model_queries: WordSet
    client_hosts: WordSet
    making: WordSet
    factories: WordSet
    store_hosts: WordSet
    store_names: WordSet
    conditions: WordSet
    clearing: WordSet
    updating: WordSet
    right_columns: WordSet
    choosing: WordSet


#: Table → its type.
TABLES: dict[str, type[Table]] = {"method-words": MethodWords}
