"""The types of the tables in `tables/`: names of files, variables, hosts, packages and tools, and what each means.

Each module has the types of one topic. It is imported when one of its tables is read: a hook reads a few.
"""

from collections.abc import Iterator, Mapping

import msgspec

from interlock.lazy import LazyTable

Words = tuple[str, ...]
WordSet = frozenset[str]  # only in a `WordTable`, whose stored form has an order


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of names."""

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return iter(())

    def kinds(self) -> Iterator[str]:
        """Return every kind of effect that the table uses."""
        return iter(())


class WordTable(Table, frozen=True, forbid_unknown_fields=True):
    """A table of many lists of words: a `WordSet` where their order means nothing, `Words` where it does."""


class SecondOpinion(Table, frozen=True, forbid_unknown_fields=True):
    """The learned model: an action whose features weigh more than `threshold` together is asked about.

    Below `calm`, the rules about what tools do need not ask; where much is at stake, below `very_calm`.
    """

    threshold: float
    bias: float
    weights: Mapping[str, float]
    calm: float = -1e9
    very_calm: float = -1e9


#: Table → its type.
TABLES: LazyTable[type[Table]] = LazyTable(
    __name__,
    {
        "files:TABLES": (
            "code-files",
            "file-origins",
            "folders",
            "languages",
            "loading",
            "private-places",
            "remote-files",
            "secret-words",
            "secrets",
            "settings-files",
            "startup-files",
            "system-libraries",
        ),
        "commands:TABLES": (
            "agents",
            "git-settings",
            "hosts",
            "program-groups",
            "project-tasks",
            "senders",
            "tools",
        ),
        "clients:TABLES": (
            "broker-clients",
            "clients",
            "containers",
            "kubernetes",
        ),
        "projects:TABLES": (
            "generators",
            "manifests",
            "packages",
            "project-settings",
            "test-repositories",
            "toolchains",
            "variables",
        ),
        "texts:TABLES": (
            "applications",
            "attack-texts",
            "confusables",
            "key-shapes",
            "powershell-aliases",
            "reader-orders",
            "statement-words",
            "written-hazards",
        ),
        "libraries:TABLES": (
            "changing-functions",
            "python-names",
            "script-clients",
            "secret-calls",
            "service-clients",
        ),
        "stores:TABLES": (
            "connections",
            "database-secrets",
            "sql",
            "store-clients",
            "store-commands",
            "store-requests",
        ),
        "run_memory:TABLES": (
            "loosened-values",
            "private-sources",
            "private-words",
            "run-memory",
        ),
        "run_commands:TABLES": (
            "record-names",
            "run-commands",
            "run-files",
        ),
        "run_switches:TABLES": ("run-switches",),
        "machines:TABLES": (
            "machine-names",
            "windows-folders",
        ),
        "options:TABLES": (
            "cmdlet-verbs",
            "command-words",
            "notification-services",
        ),
        "method_words:TABLES": ("method-words",),
        "tool_calls:TABLES": (
            "argument-roles",
            "content",
            "people",
            "service-hosts",
            "tool-objects",
            "tool-programs",
            "tool-verbs",
        ),
        "tool_name_words:TABLES": (
            "tool-arguments",
            "tool-names",
        ),
        "tool_effect_words:TABLES": (
            "tool-audiences",
            "tool-rights",
        ),
        "tool_record_words:TABLES": (
            "machine-codes",
            "tool-records",
        ),
        "tool_content_words:TABLES": (
            "tool-code",
            "tool-pages",
            "tool-requests",
            "tool-secrets",
            "tool-summaries",
        ),
    },
    ready={
        "second-opinion": SecondOpinion,
        "second-opinion-calls": SecondOpinion,
    },
)
