"""Builds and packages: variables, packages, settings of a project, compilers, generators."""

import msgspec

from interlock.knowledge.table_types import Table, Words


class Variable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Environment variables with the same effect."""

    names: Words
    means: str
    values: Words = ()  # the values that turn a check off
    language: str = ""  # of the code that it holds


class Variables(Table, frozen=True, forbid_unknown_fields=True):
    """Environment variables that load code, run commands, redirect traffic or turn checks off."""

    variables: tuple[Variable, ...]


class Packages(Table, frozen=True, forbid_unknown_fields=True):
    """Popular packages, which are imitated, and packages that a system depends on."""

    popular: Words
    genuine: Words  # real packages whose names look like a popular one
    critical: Words
    compromised: Words  # versions that are known to have carried malicious code
    sources: Words  # hosts of indexes, registries and mirrors that are usual for their ecosystem
    modules: Words  # beginnings of the names of well-known Go modules
    module_hosts: Words


class DependencyManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Files that name dependencies, and the programs that fetch these."""

    names: Words
    programs: Words


class Manifests(Table, frozen=True, forbid_unknown_fields=True):
    """The manifests of all ecosystems, and the hosts at which projects keep their repositories."""

    forges: Words
    manifests: tuple[DependencyManifest, ...]
    with_commands: Words
    with_sources: Words


class ProjectSettings(Table, frozen=True, forbid_unknown_fields=True):
    """Words in settings of the project that need approval, in lower case."""

    pipelines: Words  # of CI systems
    pipeline_keys: Words  # of what a tool writes to a pipeline
    shared_branches: Words
    shells: Words  # in start-up files of shells that the project keeps
    packages: Words  # of package managers
    editors: Words
    build_files: Words  # settings of build tools, by the ends of their paths
    builds: Words
    action_owners: Words


class TestRepositories(Table, frozen=True, forbid_unknown_fields=True):
    """Repositories of test frameworks and test suites that projects clone to run their own tests."""

    repositories: dict[str, Words]  # owner → names


class Generator(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Programs with the same options."""

    programs: Words
    options: Words  # their value is the file or folder for the output; a plain word is a subcommand before it


class Generators(Table, frozen=True, forbid_unknown_fields=True):
    """Compilers and generators that fill a folder from files of the project."""

    generators: tuple[Generator, ...]


class Toolchain(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """How programs take code in a language."""

    programs: Words
    language: str
    codes: Words = ()  # options and subcommands whose value is code
    runs: Words = ()  # subcommands and options that run a file; `*` for a program that always does
    reads_input: bool = False  # without a file it reads standard input
    output: str = ""  # the program that it makes of a file: a name, or `*` for that of the file


class Toolchains(Table, frozen=True, forbid_unknown_fields=True):
    """Compilers and interpreters of compiled languages."""

    toolchains: tuple[Toolchain, ...]
    inputs: Words  # files that stand for standard input
    partial: Words  # options with which a compiler makes no program
    builds: Words  # subcommands that run none of the files that they are given
    outputs: Words  # options whose value is the program that is made


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "generators": Generators,
    "manifests": Manifests,
    "packages": Packages,
    "project-settings": ProjectSettings,
    "test-repositories": TestRepositories,
    "toolchains": Toolchains,
    "variables": Variables,
}
