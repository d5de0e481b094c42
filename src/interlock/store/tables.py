"""The tables and their columns.

Every name starts with `interlock_`, so that a database can be shared with other applications. Times are microseconds
since 1970, UTC. Secrets in text that an agent may have influenced are masked before it is stored. The files in
`migrations` define the types of the columns and the indexes.
"""

from __future__ import annotations

import msgspec


class DatabaseTable(msgspec.Struct, frozen=True):
    """A table, and its columns in order."""

    name: str
    columns: tuple[str, ...]


def _table(name: str, columns: str) -> DatabaseTable:
    return DatabaseTable(f"interlock_{name}", tuple(columns.split()))


#: The chain: `hash` covers the previous hash and `body`, which is canonical JSON; the other columns repeat parts of it.
records = _table("records", "seq record_id at kind name run_id approval_id body hash")

#: One row: the signed end of the chain, and where it begins if older records were pruned.
head = _table("head", "id store_id seq hash key_id signature base_seq base_hash")

#: Signed points of the chain, of which copies can be kept elsewhere.
#: Here and below, `seq` is the newest record about the row; it contains a digest of the row.
checkpoints = _table("checkpoints", "point hash at key_id signature seq")

#: The public keys of every machine that has written to the store.
keys = _table("keys", "key_id public machine seq")

#: `context` is JSON: the user, the tenant and the metadata of a run.
runs = _table("runs", "run_id agent_id started_by workspace state started_at ended_at context seq")

#: The columns from `tool` on repeat parts of `request`, by which requests are found: see `approval/search_fields.py`.
#: `warned_at` is when its approvers were warned that it expires.
approvals = _table(
    "approvals",
    "approval_id run_id agent_id started_by digest state request created_at created_boot created_ticks lasts used_at "
    "why tool environment level score text group_key eligible one_person warned_at seq",
)

answers = _table("answers", "approval_id approver answer seq")

#: Comments on requests, the person that each request is assigned to, and saved views of the list of requests.
comments = _table("comments", "comment_id approval_id author text created_at seq")
assignments = _table("assignments", "approval_id assignee assigned_by assigned_at seq")
views = _table("views", "view_id name owner shared query created_at removed_at seq")

#: How often a person has failed the quiz of a request, and when they last did.
quiz_attempts = _table("quiz_attempts", "approval_id person failures failed_at seq")

#: Remembered approvals, which count for more than one use. `shape` is JSON, and `digest` then that of its frame;
#: without one, `digest` is that of exactly one action. `request_id` is the request in which it was granted.
grants = _table(
    "grants",
    "grant_id scope digest run_id agent_id workspace granted_by needs shown created_at expires_at revoked_at uses "
    "shape request_id last_used_at seq",
)

#: What people decided about suggestions, with how many answers as evidence. `result` names what was created.
suggestions = _table("suggestions", "suggestion_id state text answers failures decided_by decided_at why result seq")

#: Policies in the store: every change adds a version, and the highest version is in force. Versions that were applied
#: together have the number of that revision, and as JSON, where they come from.
policies = _table(
    "policies", "version_id policy_id version body removed changed_by changed_at note revision origin seq"
)

#: People who sign in. `password` is a hash, or empty.
people = _table("people", "name role password state created_at created_by seq")

#: Accounts at OpenID Connect providers, each linked to a person by its issuer and subject.
identities = _table("identities", "identity_id issuer subject provider person state linked_at linked_by seq")

#: The states of sign-ins that have come back from a provider, as hashes, so that none is accepted twice.
used_states = _table("used_states", "hash expires_at")

#: Groups of people, for the approval requirements of policies. `members` is JSON.
groups = _table("groups", "name members state created_at created_by seq")

#: API keys of programs, as hashes. `pins` and `observe` are JSON: facts about the caller, and whether its actions are
#: only observed.
access = _table("access", "key_id name role owner hash created_at created_by expires_at revoked_at pins observe seq")

#: Columns that later migrations added. Older rows have NULL in them, and digests without them.
ADDED_COLUMNS = frozenset(
    (
        "pins context revision origin observe api_key api_key_name tool environment level score text group_key "
        "eligible one_person warned_at shape request_id last_used_at pauses ends_at"
    ).split()
)

#: One-time sign-in links, and sessions. Each row is signed by the machine that wrote it.
links = _table("links", "hash person expires_at used_at key_id signature")

#: `expires_at` is set if a session ends earlier than usual.
sessions = _table(
    "sessions", "session_id hash before person created_at renewed_at ended_at key_id signature expires_at"
)

#: Secrets that earlier versions shared between servers. Nothing is written here any more.
secrets = _table("secrets", "name value")

#: Metrics computed from the chain, by minute, hour, day and week; `cursors` says up to which record. Derived.
counts = _table("counts", "grain at what name agent_id level outcome count points")

#: Actions by level and verdict, by minute, hour, day and week: the sums of `counts` that charts show.
levels = _table("levels", "grain at level verdict count")

#: Decided actions by what people filter by, and which rules and policies matched them. Derived from the chain.
actions = _table("actions", "seq at run_id agent_id person tool verdict level environment key_id approval_id")

matches = _table("matches", "seq what name at")

#: Totals of each run and each agent, derived from the chain. `highest` is the rank of the highest level.
totals = _table("totals", "what name actions risky asked blocked highest environments first_at last_at")

#: What agents used, by day; how active they were, and what stopped them, by hour (`learning/usage.py`). Derived.
usage = _table("usage", "what at name agent_id count first_seq last_seq")

#: The last record that each consumer of the chain has processed.
cursors = _table("cursors", "name at")

#: Webhooks, and the delivery of each record to each of them.
webhooks = _table("webhooks", "webhook_id url secret kinds state created_at created_by seq")

deliveries = _table("deliveries", "delivery_id webhook_id record_seq state tries due_at tried_at status error")

#: Stopped and paused agents and API keys: all their actions are refused until a person lifts that, or a pause ends.
stops = _table(
    "stops",
    "stop_id agent_id reason stopped_by stopped_at lifted_by lifted_at api_key api_key_name pauses ends_at seq",
)

#: The servers that share this store, and a digest of the configuration of each. Nothing depends on it.
servers = _table("servers", "server_id url machine version digest error started_at seen_at")

#: One row: the version of the newest bundle, which machines that pull their policies compare with theirs.
bundles = _table("bundles", "bundle_id sequence digest issued_at issued_by seq")

#: The machines that pull bundles, and the last report of each. Nothing depends on it.
machines = _table("machines", "machine_id key_id owner machine user_name version bundle error first_seen_at seen_at")

#: The notification preferences of each person, as JSON.
preferences = _table("preferences", "person body changed_at changed_by seq")

#: Browsers that people are notified in, and the key that identifies this store's servers to the browsers' vendors.
browsers = _table("browsers", "browser_id person endpoint public_key auth name created_at removed_at seq")

push_keys = _table("push_keys", "key_id secret created_at seq")

#: Messages about requests. `receipt` is JSON: what the channel needs to update the message.
notifications = _table(
    "notifications",
    "notification_id approval_id person channel recipient kind state tries due_at tried_at error receipt",
)

#: The chat accounts that people have linked: which member of which channel is which person.
chat_accounts = _table("chat_accounts", "account_id channel member team person state linked_at linked_by seq")

#: One-time secrets in a chat, as hashes: what a button answers, and the codes that link an account. Each row is signed
#: by the machine that wrote it.
chat_tokens = _table(
    "chat_tokens",
    "hash purpose channel person approval_id digest verdict created_at expires_at used_at key_id signature",
)

#: Signed requests of a chat service that have arrived, so that none counts twice.
chat_requests = _table("chat_requests", "hash expires_at")

#: Which server polls a chat service, until when, and from which update on.
chat_polls = _table("chat_polls", "channel holder lease_until next_update")
#: Settings that are changed in the browser, as JSON. A configuration file that has the same setting is stronger.
settings = _table("settings", "name value changed_by changed_at seq")

#: Channels that are set up in the browser. `settings` and `secrets` are JSON; records never contain the secrets.
channels = _table("channels", "channel_id name kind settings secrets state created_at created_by seq")

#: When people last signed in, and keys were last used. Nothing depends on it.
last_used = _table("last_used", "what name at")

TABLES = (
    records,
    head,
    checkpoints,
    keys,
    runs,
    approvals,
    answers,
    comments,
    assignments,
    views,
    quiz_attempts,
    grants,
    suggestions,
    policies,
    people,
    identities,
    used_states,
    groups,
    access,
    links,
    sessions,
    secrets,
    counts,
    levels,
    actions,
    matches,
    totals,
    usage,
    cursors,
    webhooks,
    deliveries,
    stops,
    servers,
    bundles,
    machines,
    preferences,
    browsers,
    push_keys,
    notifications,
    chat_accounts,
    chat_tokens,
    chat_requests,
    chat_polls,
    settings,
    channels,
    last_used,
)
