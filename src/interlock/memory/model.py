"""The data types of a run's memory, besides its files: frozen values that are stored with the run."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import msgspec

from interlock.model import ShellState

#: Stands for every tag, if a run has created more than are kept, or one with an unknown name.
ANY_TAG = "*"
#: The rules for using something that an earlier call prepared, and for using a copy of sensitive data.
PREPARED_RULE, COPY_RULE = "prepared_by_earlier_call", "copy_of_earlier_call"
#: The rule for a call that does harm together with what earlier calls set.
JOINT_RULE = "together_with_earlier_calls"
#: The rule for an action that could send out private data.
LEAK_RULE = "private_data_may_leave"
#: The rule for running code that this run wrote.
HAZARD_RULE = "written_hazard"


class ExposureKind(Enum):
    """The kind of data that a run was exposed to."""

    SECRET = "secret"  # noqa: S105 - a kind, not a password
    PRIVATE = "private"
    UNTRUSTED = "untrusted"
    LIVE = "live"
    CONFIDENTIAL = "confidential"


class Exposure(msgspec.Struct, frozen=True, rename="camel", gc=False, omit_defaults=True):
    """One exposure: its kind, its source, and the number of the call in the run; 0 if it has no number yet.

    `client` is the client that was switched to a live system; empty if any program may work on that.
    """

    kind: ExposureKind
    what: str
    call: int = 0
    client: str = ""


class ClientContext(msgspec.Struct, frozen=True, rename="camel", gc=False, omit_defaults=True):
    """The context that a client was switched to, and the call that did so. `name` is a digest, empty if unknown."""

    client: str
    name: str = ""
    call: int = 0


class Content(Enum):
    """The kind of sensitive data in a file, a table or a variable."""

    SECRET = "secret"  # noqa: S105 - a kind, not a password
    PRIVATE = "private"
    TEMPLATE = "template"  # names of secrets; a file rendered from it contains the secrets
    RENDERED = "rendered"  # the result of rendering a template


class DataFlow(msgspec.Struct, frozen=True, rename="camel", gc=False, omit_defaults=True):
    """The inputs and outputs of an action: files, tables and variables.

    `holds` says which sensitive data is among them, if the action alone tells that. `commits` and `pushes` say that
    the action does so.
    """

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    holds: Content | None = None
    commits: bool = False
    pushes: bool = False


class Taint(msgspec.Struct, frozen=True, rename="camel", gc=False, omit_defaults=True):
    """A file, a table or a variable with sensitive data in it, and the call that put it there."""

    path: str
    what: Content
    call: int = 0


class ConcernKind(Enum):
    """The kind of a concern. The comments say what `subject` is, and which other fields a kind has."""

    PREPARED = "prepared"  # why it needed approval; files, names, programs, exports
    COPY = "copy"  # the same, and its files hold a secret or private data
    HAZARD = "hazard"  # the hazard and the file whose use was approved
    REDEFINED = "redefined"  # the tool that changed what names stand for; names
    PROFILE = "profile"  # the tool that changed whom the agent appears as; names: its service
    IDENTITY = "identity"  # the command that makes later ones act as somebody else
    ROLE = "role"  # the command that gave a client other rights; programs: the client
    DEFAULT_REPOSITORY = "default_repository"  # the command that chose it for a client; programs: the client
    ACCESS_RULES = "access_rules"  # the file that says who may do what
    REDIRECTED_PUSH = "redirected_push"  # the command that makes later pushes go elsewhere
    SHARED_BRANCH = "shared_branch"  # the command that switched to a shared branch
    FOLDER = "folder"  # the setting that leads to a folder outside the project
    HOST = "host"  # the setting that names another machine
    SIMILAR_HOST = "similar_host"  # the address that replaced a similar one
    RECIPIENT = "recipient"  # the address that was added to others
    DETAILS = "details"  # the phone number or the account that replaced another one
    LOOSENED = "loosened"  # the switch, the safeguard or the limit that no longer holds
    REAL_TARGET = "real_target"  # the value that no longer stands for a test, or for another owner's machine
    DOWNLOAD = "download"  # the code or the template that a tool saved into the project
    PROCESS_IDS = "process_ids"  # the name of the guard whose processes were looked for; files: their ids
    OPTION_NAME = "option_name"  # the file that is named like an option; files
    MANIFEST_SOURCE = "manifest_source"  # the host that code would come from; programs that follow the manifest
    UNPACKED = "unpacked"  # the archive that was unpacked over the project; files: the archive
    FILTERED = "filtered"  # the record from which entries were left out; files: the copy
    LINK = "link"  # the command that made a link; aliases
    MOUNT = "mount"  # the command that mounted something; aliases
    PARKED_WORK = "parked_work"  # the command that moved work aside; aliases: where it is
    VIEW = "view"  # the statement that made a view; aliases


class Concern(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Something that a call left behind, and whose use by later calls needs approval.

    `kind` says what that is, and which of the other fields it has. `files` are those that the call wrote, `names` the
    objects of a service that it was about, and `programs` those whose settings it changed; `exports` says that it set
    variables. `aliases` are second names that it gave to something. `used_by` are the commands whose use of it was
    approved.
    """

    kind: ConcernKind
    subject: str
    call: int = 0
    files: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    exports: bool = False
    aliases: tuple[str, ...] = ()
    used_by: tuple[str, ...] = ()


class Definition(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A call that set something at a service, with its arguments but without secrets.

    `names` are the names and ids of what it set, in lower case; `standing` says that it set something which holds for
    all later calls at the service: defaults, settings, limits.
    """

    tool: str
    arguments: Mapping[str, Any]
    names: tuple[str, ...] = ()
    standing: bool = False
    call: int = 0


class MemoryChanges(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The changes that one call makes in the memory of its run.

    `contexts` are what its clients were switched to, and `tags` the tags that it may have created. `concern` and
    `others` are what it left behind, and `definition` is what it has set at a service. `flows` are its inputs and
    outputs, and `steps` the small steps that it counts as. `used` are the calls whose concerns it used, and `users` the
    programs that used them; `joined` are the calls that it was judged together with.
    """

    exposures: tuple[Exposure, ...] = ()
    shell: ShellState | None = None
    outside: tuple[str, ...] = ()
    contexts: tuple[ClientContext, ...] = ()
    tags: tuple[str, ...] = ()
    concern: Concern | None = None
    flows: tuple[DataFlow, ...] = msgspec.field(default=(), name="mentions")
    steps: tuple[str, ...] = msgspec.field(default=(), name="portions")
    used: tuple[int, ...] = ()
    users: tuple[str, ...] = ()
    definition: Definition | None = None
    joined: tuple[int, ...] = ()
    others: tuple[Concern, ...] = ()

    def __bool__(self) -> bool:
        return self != NO_CHANGES


NO_CHANGES = MemoryChanges()
