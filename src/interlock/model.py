"""The data types between an action and its decision: frozen values, camelCase in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from operator import attrgetter
from typing import Annotated, Any, Literal

import msgspec

from interlock.levels import Level, Verdict

Span = tuple[int, int]


class Place(Enum):
    """Where a path is."""

    ROOT = "root"
    SYSTEM = "system"
    HOME = "home"
    WORKSPACE = "workspace"
    SCRATCH = "scratch"
    OUTSIDE = "outside"
    UNKNOWN = "unknown"

    __hash__ = object.__hash__  # as in `OrderedEnum`


class Struct(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=False):
    """The base of the data types that are written as JSON."""

    def to_json(self) -> bytes:
        """Return the value as JSON; the same value gives the same bytes, in any process."""
        return msgspec.json.encode(self, order="deterministic")

    def to_dict(self) -> dict[str, Any]:
        """Return the value as plain dicts, lists and strings, with JSON's names."""
        built: dict[str, Any] = msgspec.to_builtins(self, order="deterministic")
        return built


class Action(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tool call that an agent is about to make."""

    tool_name: str
    input_payload: dict[str, Any] = {}
    agent_id: str | None = None
    run_id: str | None = None
    user: str | None = None  # the person that the agent acts for
    tenant: str | None = None  # the customer or organisation that it acts for
    environment: str | None = None
    cwd: str | None = None
    workspace: str | None = None
    home: str | None = None
    docstring: str | None = None
    description: str | None = None  # what the server of the tool says about it
    input_schema: dict[str, Any] = {}  # the JSON schema of its arguments
    hints: dict[str, Any] = {}
    annotations: dict[str, Any] = {}
    metadata: dict[str, Any] = {}

    @classmethod
    def shell(cls, command: str, **context: Any) -> Action:
        """Return the action of running a shell command."""
        return cls(tool_name="Bash", input_payload={"command": command}, **context)

    @classmethod
    def python(cls, code: str, **context: Any) -> Action:
        """Return the action of running Python code."""
        return cls(tool_name="python", input_payload={"code": code}, **context)

    @classmethod
    def sql(cls, query: str, **context: Any) -> Action:
        """Return the action of running SQL."""
        return cls(tool_name="sql", input_payload={"query": query}, **context)


#: The fields of an action that hold a text or None, and those that hold a table.
TEXT_FIELDS = tuple(
    "tool_name agent_id run_id user tenant environment cwd workspace home docstring description".split()
)
TABLE_FIELDS = ("input_payload", "input_schema", "hints", "annotations", "metadata")


class RunDetails(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a run is for: a person, a tenant, and what the person asked for; `metadata` is any JSON object.

    >>> RunDetails(user="ann", tenant="acme", metadata={"ticket": "T-1"}).user
    'ann'
    """

    user: str | None = None
    tenant: str | None = None
    metadata: Mapping[str, Any] = {}
    request: str | None = None


NO_DETAILS = RunDetails()


class Resource(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A resource that an effect acts on: `file:/etc/hosts`, `url:https://…`, `table:users`."""

    type: str
    name: str
    place: Place | None = None
    modifier: int = 0

    def __str__(self) -> str:
        return f"{self.type}:{self.name}"


class Effect(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """One thing that the action would do.

    `span` is the command that does it, as offsets into the action's text; `via` are the wrappers around that command,
    outermost first; effects with the same `call` belong to one command. `summary` is a sentence about it for people.
    """

    kind: str
    resource: Resource | None = None
    flags: frozenset[str] = frozenset()
    span: Span = (0, 0)
    via: tuple[str, ...] = ()
    call: int = 0
    summary: str = ""

    def __str__(self) -> str:
        flags = " " + " ".join(sorted(self.flags)) if self.flags else ""
        return f"{self.kind}{' ' + str(self.resource) if self.resource else ''}{flags}"


kind_of = attrgetter("kind")  # of an effect; for `map`, which is faster with it than a comprehension


class Coverage(msgspec.Struct, frozen=True, rename="camel"):
    """How much of the action could be analysed. `opaque` says which parts could not be, and why."""

    opaque: tuple[str, ...] = ()

    @property
    def full(self) -> bool:
        """Whether everything could be analysed."""
        return not self.opaque

    def __str__(self) -> str:
        return "partial" if self.opaque else "full"


class WrittenFile(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A file that a run has written.

    Its text is the `whole` file or only a `part` of it; a file may also have been `changed` without its new text being
    known, or be `gone`. A text of None is unknown. The text of a `link`, and of a file that was `moved`, is the path
    that it leads to. What is `made` was built or copied outside the project; a path that ends with a slash stands for
    everything in a folder. A file is `kept` whose text is unknown, while `marks` tell where its content comes from: a
    copy of a secret is still one.
    """

    text: str | None = None
    state: Literal["whole", "part", "changed", "gone", "link", "moved", "made", "kept"] = "whole"
    marks: frozenset[str] = frozenset()


class ShellState(msgspec.Struct, frozen=True, rename="camel"):
    """The state that a shell is left in: its folder, and what was defined in it.

    `folder` is where `cd` led from `begun_in`, the folder that the agent named. `marks` tell where the values of
    variables come from that are not known themselves.
    """

    folder: str = ""
    begun_in: str = ""
    variables: Mapping[str, str] = {}
    marks: Mapping[str, tuple[str, ...]] = {}
    aliases: Mapping[str, str] = {}
    functions: Mapping[str, str] = {}
    remotes: Mapping[str, str] = {}


class ProgramCall(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A program that an action runs: its words once they are expanded, and its working folder if that was changed.

    `call` is the number of the command, as in `Effect`. A variable that later programs get counts as a call of
    `export`: `("export", "STAGE=prod")`.
    """

    words: tuple[str, ...]
    folder: str = ""
    call: int = 0


class Analysis(msgspec.Struct, frozen=True, rename="camel"):
    """The result of analysing an action: its effects in order, how much could be analysed, and the languages.

    `written` are the effects of code that the action only writes to a file: none of them happens now. `files` are the
    files that it changes, as they are once it has run. `shell` is what its shell is left with, if that has changed.
    `commands` are the programs that it runs, in whatever language.
    """

    effects: tuple[Effect, ...] = ()
    coverage: Coverage = Coverage()
    languages: tuple[str, ...] = ()
    text: str = ""
    written: tuple[Effect, ...] = ()
    files: Mapping[str, WrittenFile] = {}
    shell: ShellState | None = None
    commands: tuple[ProgramCall, ...] = ()


class Finding(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A rule that matched an effect, and where in the text.

    `calls` are earlier calls of the run that it cites. `subject` says which of the things that the rule can be about
    it is about, if somebody who agrees to it has agreed to that one only.
    """

    rule: str
    level: Level
    reason: str
    span: Span = (0, 0)
    reversible: bool = True
    floor: bool = False
    instead: str = ""
    eased_by: str = ""
    calls: tuple[int, ...] = ()
    subject: str = ""


class Factor(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """One addend of a score. The factors of an assessment always sum to its score."""

    name: str
    points: int
    detail: str = ""


class Assessment(Struct, frozen=True, kw_only=True):
    """How risky an action is, and why. The points of `factors` add up to `score`."""

    score: int
    level: Level
    factors: tuple[Factor, ...] = ()
    findings: tuple[Finding, ...] = ()
    reasons: tuple[str, ...] = ()
    affected_resources: tuple[str, ...] = ()
    reversible: bool = True
    estimated_impact: str = ""
    recommendations: tuple[str, ...] = ()
    analysis: Analysis = Analysis()

    @property
    def requires_approval(self) -> bool:
        """Whether an action of this level usually needs an approval."""
        return self.level.rank >= Level.HIGH.rank

    @property
    def effects(self) -> tuple[Effect, ...]:
        """What the action would do."""
        return self.analysis.effects

    @property
    def coverage(self) -> Coverage:
        """How much of the action could be analysed."""
        return self.analysis.coverage


class Ask(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """The requirements of a policy for an approval, besides those of tier and level. The strictest apply."""

    approvers: Annotated[int, msgspec.Meta(ge=1, le=20)] = 1
    who: tuple[str, ...] = ()
    reason: bool = False
    model: bool = False
    challenge: Literal["auto_approve", "confirm", "quiz", "teach_back", "multi_party"] = "auto_approve"
    timeout_seconds: Annotated[int, msgspec.Meta(ge=1)] | None = None
    liftable: bool = False


class Match(msgspec.Struct, frozen=True, rename="camel"):
    """A policy that matched or failed to evaluate, and the verdict that it asks for.

    `lacks_baseline` says that it failed because the baseline of the agent is not known.
    """

    policy_id: str
    name: str
    action: Verdict
    error: str = ""
    ask: Ask | None = None
    description: str = ""
    lacks_baseline: bool = False

    @property
    def severity(self) -> Level:
        """The severity of the risk event that this match creates."""
        return self.action.severity


class Override(msgspec.Struct, frozen=True, rename="camel"):
    """A stricter verdict that was overridden, and the policy or setting that did so."""

    by: str
    what: str
    verdict: Verdict


class Needs(msgspec.Struct, frozen=True, rename="camel"):
    """The requirements of an approval.

    `who` holds lists of names and `@roles`: an approver must be in each of them. What is `liftable` may be approved by
    a model alone, if the person has asked for it.
    """

    tier: str
    human: bool
    model: bool
    challenge: str
    approvers: int
    timeout_seconds: int | None
    who: tuple[tuple[str, ...], ...] = ()
    reason: bool = False
    liftable: bool = False


class Cause(Enum):
    """The cause of a verdict. `Decision.because` explains it to people in a sentence."""

    MODE = "mode"
    POLICY = "policy"
    FLOOR = "floor"
    PAUSED_RUN = "paused_run"
    STOPPED = "stopped"
    PAUSED = "paused"
    OBSERVED = "observed"


class UnenforcedVerdict(msgspec.Struct, frozen=True, rename="camel"):
    """The verdict that an observed action would have had, its cause, and the requirements of its approval."""

    verdict: Verdict
    cause: Cause
    because: str
    needs: Needs | None = None


class BudgetUse(Struct, frozen=True):
    """How much of a matching policy's limit an action uses.

    Actions with the same `scope` are counted together. `amount` is None if it cannot be told. `limit` is for people.
    """

    policy: Match
    limit: str
    most: float
    seconds: int | None  # of the period; None for a whole run
    scope: str
    amount: float | None


class Decision(Struct, frozen=True, kw_only=True):
    """The verdict on an action, the assessment behind it, and what an approval requires if it needs one.

    `overruled` are claims of the caller that did not count, because they would have made the verdict looser.
    `budgets` are the limits of matching policies: whether one is exceeded is only known where actions are counted.
    `call` is the number of the action in its run, if that is known.
    `would_have` is set if the action is only observed: `verdict` is in force, and this is what it would have been.
    """

    verdict: Verdict
    assessment: Assessment
    mode: str = "full"
    matched_policies: tuple[Match, ...] = ()
    overrides: tuple[Override, ...] = ()
    needs: Needs | None = None
    cause: Cause = Cause.MODE
    because: str = ""
    overruled: tuple[str, ...] = ()
    budgets: tuple[BudgetUse, ...] = ()
    call: int = 0
    would_have: UnenforcedVerdict | None = None

    @property
    def allowed(self) -> bool:
        """Whether the action may run now, without an approval."""
        return self.verdict.rank <= Verdict.WARN.rank

    def to_wire(self) -> dict[str, Any]:
        """Return the flat form that the command line and the API write."""
        assessed = self.assessment
        return {
            "verdict": self.verdict.value,
            "score": assessed.score,
            "level": assessed.level.value,
            "reversible": assessed.reversible,
            "coverage": str(assessed.coverage),
            "opaque": list(assessed.coverage.opaque),
            "reasons": list(assessed.reasons),
            "findings": msgspec.to_builtins(assessed.findings),
            "factors": msgspec.to_builtins(assessed.factors),
            "affectedResources": list(assessed.affected_resources),
            "effects": [effect_to_wire(effect) for effect in assessed.effects],
            "estimatedImpact": assessed.estimated_impact,
            "recommendations": list(assessed.recommendations),
            "matchedPolicies": [
                {
                    "policyId": match.policy_id,
                    "name": match.name,
                    "action": match.action.value,
                    "error": match.error,
                    "severity": match.severity.value,
                }
                for match in self.matched_policies
            ],
            "overrides": msgspec.to_builtins(self.overrides),
            **({"overruled": list(self.overruled)} if self.overruled else {}),
            "mode": self.mode,
            "because": self.because,
            "needs": msgspec.to_builtins(self.needs),
            **({"wouldHave": msgspec.to_builtins(self.would_have)} if self.would_have is not None else {}),
        }


def effect_to_wire(effect: Effect) -> dict[str, Any]:
    """Return an effect as JSON writes it: flags sorted, so that the same action gives the same bytes."""
    resource = effect.resource
    return {
        "kind": effect.kind,
        "resource": str(resource) if resource else None,
        "place": resource.place.value if resource and resource.place else None,
        "flags": sorted(effect.flags),
        "span": list(effect.span),
        "via": list(effect.via),
    }
