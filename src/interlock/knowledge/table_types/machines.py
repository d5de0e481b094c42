"""Machines: services, processes, ports, and the folders and variables of Windows."""

from collections.abc import Mapping

from interlock.knowledge.table_types import Table, Words, WordTable


class MachineNames(WordTable, frozen=True, forbid_unknown_fields=True):
    """Services, processes, logs, ports, settings and groups of machines."""

    ways_in: Words
    foundations: Words
    restored: Words
    outside: Words
    watchers: Words
    logs: Words
    histories: Words
    mac_guards: Words
    kernel_guards: Words
    ordinary_kernel_settings: Words
    routes: Words
    keys: Words
    system_folders: Words
    remote_ports: Words
    remote_services: Words
    system_disks: Words
    root_capabilities: Words
    root_groups: Words
    essential_processes: Words
    broad_patterns: Words


class WindowsFolders(Table, frozen=True, forbid_unknown_fields=True):
    """The meaning of variables and folder names in Windows."""

    paths: Mapping[str, str]
    batch: Mapping[str, str]
    powershell: Mapping[str, str]
    special: Mapping[str, str]


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "machine-names": MachineNames,
    "windows-folders": WindowsFolders,
}
