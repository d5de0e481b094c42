"""Clients of services: their verbs and resources, and the options that name the system they work on."""

from collections.abc import Iterator
from itertools import chain

import msgspec

from interlock.knowledge.table_types import Table, Words


class Verb(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Verbs in the commands of service clients."""

    does: str  # `read`, `prepare`, `change` or `destroy`
    words: Words
    flags: Words = ()
    also_nouns: bool = False  # verbs only if there is no other one: `secrets versions destroy 1`


class ResourceWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words in the commands of service clients that name resources."""

    flags: Words
    words: Words


class Endpoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Options and variables that name the system that clients work on."""

    options: Words = ()
    variables: Words = ()  # `*` at the end stands for any ending
    programs: Words = ()  # only for these programs; none means all
    names: str = "address"  # what the value names: `address`, `context`, `file` or `profile`
    emulates: bool = False  # a system for tests, whose secrets are made up


class Labelling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words of commands that change nothing but labels or descriptions, and the options that they may have."""

    programs: Words
    verbs: Words
    labels: Words
    descriptions: Words  # on which nothing depends, whatever they describe
    tags: Words  # where they are labels and nothing else
    decisive: Words  # parts of words of things whose tags decide what somebody may do, or what runs
    options: Words


class Clients(Table, frozen=True, forbid_unknown_fields=True):
    """The vocabulary of service clients, and how to tell whether the system that they work on is local."""

    verbs: tuple[Verb, ...]
    resources: tuple[ResourceWords, ...]
    endpoints: tuple[Endpoint, ...]
    local_programs: Words  # clients that only talk to an emulator
    rehearsals: Words  # options with which a client only shows what it would do
    local_switches: Words  # options without a value that keep a client on this machine
    local_contexts: Words  # contexts of local clusters and container engines; `*` at the end stands for any ending
    local_profiles: Words
    cluster_makers: dict[str, str]  # a program and its words that make a local cluster → the context it selects
    tool_commands: Words  # first words of deployment tools that work on the project: `build`, `serve`
    api_hosts: Words  # hosts of the APIs by which clouds and services are managed
    own_commands: Words  # first words of commands about the client itself: its sign-in, settings, plug-ins
    labelling: Labelling

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return chain.from_iterable([*(verb.flags for verb in self.verbs), *(entry.flags for entry in self.resources)])


class HostAccess(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Values of options that give a container access to its host."""

    options: Words
    values: Words
    flags: Words


class Containers(Table, frozen=True, forbid_unknown_fields=True):
    """Options that give a container access to its host, and images that are programs."""

    host_access: tuple[HostAccess, ...]
    image_programs: dict[str, str]  # the name of an image → the program that is its entry point
    base_images: Words
    test_tools: Words

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for entry in self.host_access for flag in entry.flags)


class Kubernetes(Table, frozen=True, forbid_unknown_fields=True):
    """Kinds of objects whose loss or change is severe, with all their names."""

    objects: tuple[ResourceWords, ...]

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for entry in self.objects for flag in entry.flags)


class Naming(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """How clients name the server, the objects that they change, and the containers of these."""

    programs: Words
    servers: Words = ()  # options whose value is a server
    things: Words = ()  # options whose value is a thing: a topic, a queue, a bucket
    holders: Words = ()  # options whose value holds things: a database, a virtual host
    command: int = -1  # the number of operands before the names; -1 if no operand is a name


class BrokerClients(Table, frozen=True, forbid_unknown_fields=True):
    """Clients of brokers and stores, which tell by names whether a thing is made for a trial."""

    clients: tuple[Naming, ...]
    keys: Words  # names that stand as `key=value` among operands


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "broker-clients": BrokerClients,
    "clients": Clients,
    "containers": Containers,
    "kubernetes": Kubernetes,
}
