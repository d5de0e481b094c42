"""Orders for bots: comments on a change that make a bot apply, deploy, release or merge it."""

from __future__ import annotations

from interlock.analyse.shell.call import ShellCall
from interlock.patterns import late

_APPLIES = late(
    r"(?im)^\s*(?:@[\w-]+ |/)?"
    r"(?:atlantis|digger|terrateam|terramate|spacelift|env0|scalr|pulumi|terraform|tofu|terragrunt|tfc)\s+"
    r"(?:apply|destroy|up|unlock|import|state|approve_policies|force-unlock)\b"
)
_DEPLOYS = late(
    r"(?im)^\s*[/.!](?:deploy|promote|release|rollback|ship|apply|publish|destroy|hotfix)\b"
    r"(?!.*\b(?:staging|stage|dev|preview|test|testing|qa|sandbox|noop|plan|help|dry-run)\b)"
)
_MERGES = late(
    r"(?im)^\s*(?:[/.!](?:merge|squash|approve|automerge)\b|@?bors(?:-ng)? (?:r\+|merge|r=)|@homu r\+"
    r"|@(?:dependabot|renovate|mergify\w*|kodiakhq|pull-request-bot)\S* (?:squash and )?(?:merge|queue))"
)
#: Words of forge commands that write where bots listen: not the text of a new issue.
_COMMENTING = frozenset({"comment", "note", "review", "comments", "notes", "discussion"})
_STACK = frozenset({"stack"})
_RELEASE = frozenset({"release_task"})
_MERGE = frozenset({"forge", "merge"})


def read_bot_orders(call: ShellCall) -> None:
    """Report what a bot would do that reads the comment: `atlantis apply`, `/deploy production`, `bors r+`."""
    if _COMMENTING.isdisjoint(call.words):
        return
    emit = call.scope.reading.emit
    for word in call.words[1:]:
        if _APPLIES.search(word):
            emit("infra.change", call.site, word, _STACK)
        elif _DEPLOYS.search(word):
            emit("deploy.release", call.site, word, _RELEASE)
        elif _MERGES.search(word):
            emit("vcs.push", call.site, word, _MERGE)
