"""What a run remembers, besides its files: frozen values that are stored with the run."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import msgspec

from interlock.model import ShellState

#: Stands for every tag, once a run has made more than are kept, or one whose name is not known.
ANY_TAG = "*"
#: The rules for uses that need approval: of something that was prepared, and of a copy of sensitive data.
PREPARED_RULE, COPY_RULE = "prepared_by_earlier_call", "copy_of_earlier_call"
#: The rule for a call that does harm together with what earlier calls have set.
JOINT_RULE = "together_with_earlier_calls"
#: The rule for an action that could send out private data.
LEAK_RULE = "private_data_may_leave"
#: The rule for running code that this run wrote.
HAZARD_RULE = "written_hazard"


class ExposureKind(Enum):
    """What a run came into contact with."""

    SECRET = "secret"  # noqa: S105 - a kind, not a password
    PRIVATE = "private"
    UNTRUSTED = "untrusted"
    LIVE = "live"
    CONFIDENTIAL = "confidential"


class Exposure(msgspec.Struct, frozen=True, rename="camel", gc=False, omit_defaults=True):
    """One contact: its kind, what it was, and the number of the call in the run. 0 means that it has no number yet."""

    kind: ExposureKind
    what: str
    call: int = 0


class ClientContext(msgspec.Struct, frozen=True, rename="camel", gc=False, omit_defaults=True):
    """What a client was switched to, and in which call of the run. `name` is a digest; empty if it is not known."""

    client: str
    name: str = ""
    call: int = 0


class Content(Enum):
    """The kind of sensitive data in a file, a table or a variable."""

    SECRET = "secret"  # noqa: S105 - a kind, not a password
    PRIVATE = "private"
    TEMPLATE = "template"  # names of secrets: what is made of it holds these
    RENDERED = "rendered"  # what a template was made into


class DataFlow(msgspec.Struct, frozen=True, rename="camel", gc=False, omit_defaults=True):
    """The files, tables and variables that an action takes something from, and those that it puts something into.

    `holds` says which sensitive data is among them, if that is known from the action alone. `commits` and
    `pushes` say that it does that.
    """

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    holds: Content | None = None
    commits: bool = False
    pushes: bool = False


class Holding(msgspec.Struct, frozen=True, rename="camel", gc=False, omit_defaults=True):
    """A file, a table or a variable that holds sensitive data, and the call that put it there."""

    path: str
    what: Content
    call: int = 0


class ConcernKind(Enum):
    """What a call left behind. After each kind: what its `subject` is, and which other fields it has."""

    PREPARED = "prepared"  # why it needed approval; files, names, programs, exports
    COPY = "copy"  # the same, and its files hold a secret or private data
    HAZARD = "hazard"  # the hazard and the file whose use was agreed to
    REDEFINED = "redefined"  # the tool that changed what names stand for; names
    PROFILE = "profile"  # the tool that changed as whom the agent appears; names: its service
    IDENTITY = "identity"  # the command by which later ones act as somebody else
    ROLE = "role"  # the command that gave a client other rights; programs: the client
    ACCESS_RULES = "access_rules"  # the file that says who may do what
    REDIRECTED_PUSH = "redirected_push"  # the command by which a later push goes elsewhere
    SHARED_BRANCH = "shared_branch"  # the command that switched to a branch of everyone
    FOLDER = "folder"  # the setting that leads to a folder outside the project
    HOST = "host"  # the setting that names another machine
    SIMILAR_HOST = "similar_host"  # the address that took the place of a similar one
    RECIPIENT = "recipient"  # the address that was added to others
    DETAILS = "details"  # the phone number or the account that took the place of another one
    DOWNLOAD = "download"  # the code or the template that a tool saved into the project
    PROCESS_IDS = "process_ids"  # the name of the guard whose processes were looked for; files: their ids
    OPTION_NAME = "option_name"  # the file that is named like an option; files
    MANIFEST_SOURCE = "manifest_source"  # the host that code would come from; programs that follow the manifest
    UNPACKED = "unpacked"  # the archive that was unpacked over the project; files: the archive
    LINK = "link"  # the command that made a link; aliases
    MOUNT = "mount"  # the command that mounted something; aliases
    PARKED_WORK = "parked_work"  # the command that put work away; aliases: where it is
    VIEW = "view"  # the statement that made a view; aliases


class Concern(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Something that a call left behind, and whose use by later calls needs approval.

    `kind` says what that is, and which of the other fields it has. `files` are those that the call wrote, `names` the
    objects of a service that it was about, and `programs` those whose settings it changed; `exports` says that it set
    variables. `aliases` are second names that it gave to something. `used_by` are the commands whose use of it was
    agreed to.
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

    `contexts` are what its clients were switched to, and `tags` the tags that it may have made. `concern` is what it
    left behind if it needed approval, and `definition` what it has set at a service if it did not; `flows` say what it
    takes something from and puts something into, and `steps` which small steps it is. `used`
    are the calls whose concerns it used, and `users` the programs that did; `joined` are the calls that it was judged
    together with.
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

    def __bool__(self) -> bool:
        return self != NO_CHANGES


NO_CHANGES = MemoryChanges()
