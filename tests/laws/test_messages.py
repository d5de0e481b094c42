"""Messages: a list of recipients that is not known asks, whichever program sends and whichever loop goes through it."""

from __future__ import annotations

import pytest

from interlock import Action, Engine

PROGRAMS = ('mail -s Offer "$to"', 'sendmail "$to"', 'twilio api:core:messages:create --to "$to" --body Offer')
LISTS = ("while read -r to; do {}; done < list.txt", "for to in $(cut -d, -f2 list.csv); do {}; done")


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("loop", LISTS)
def test_a_mailing_asks(program: str, loop: str) -> None:
    decision = Engine().decide(Action.shell(loop.format(program), cwd="/w", workspace="/w", home="/home/u"))
    assert decision.verdict.value == "require_approval"


@pytest.mark.parametrize("program", PROGRAMS)
def test_one_message_passes(program: str) -> None:
    text = program.replace('"$to"', "+15550199" if "twilio" in program else "me@example.com")
    decision = Engine().decide(Action.shell(text, cwd="/w", workspace="/w", home="/home/u"))
    assert decision.verdict.value == "allow"
