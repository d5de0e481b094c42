"""Decoded code: the decoded text is judged, however many filters it passes through."""

from __future__ import annotations

import base64
import codecs
import gzip
import shlex
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock import Action, Level, Verdict
from interlock.analyse.shell.output.filters import FILTERS, apply_filter
from tests.reading import ENGINE, WHERE, shell

COMMAND = "rm -rf /"
_B64 = base64.b64encode(COMMAND.encode()).decode()
_GZIP = base64.b64encode(gzip.compress(COMMAND.encode(), mtime=0)).decode()

SOURCES = {
    "base64": f"echo {_B64} | base64 -d",
    "base64 in pieces": f"a={_B64[:5]}; b={_B64[5:]}; echo $a$b | base64 --decode",
    "base32": f"echo {base64.b32encode(COMMAND.encode()).decode()} | base32 -d",
    "hex": f"echo {COMMAND.encode().hex()} | xxd -r -p",
    "openssl": f"echo {_B64} | openssl base64 -d",
    "openssl enc": f"echo {_B64} | openssl enc -d -a",
    "gzip": f"echo {_GZIP} | base64 -d | gunzip",
    "zcat": f"echo {_GZIP} | base64 -d | zcat",
    "twice": f"echo {base64.b64encode(_B64.encode()).decode()} | base64 -d | base64 -d",
    "base64 of hex": f"echo {base64.b64encode(COMMAND.encode().hex().encode()).decode()} | base64 -d | xxd -r -p",
    "rev": f"echo '{COMMAND[::-1]}' | rev",
    "rot13": f"echo '{codecs.encode(COMMAND, 'rot13')}' | tr 'A-Za-z' 'N-ZA-Mn-za-m'",
    "tr": "echo rm_-rf_/ | tr _ ' '",
    "tr -d": "echo 'rQm -rQf /' | tr -d Q",
    "printf": "printf '\\x72\\x6d -r\\146 /'",
    "printf %b": "printf '%b %s' '\\162\\155' '-rf /'",
    "echo -e": "echo -e '\\x72\\x6d -rf /'",
    "cut": "echo 'ls,rm -rf /' | cut -d, -f2",
    "cut -c": "echo '## rm -rf /' | cut -c4-",
    "head": "printf 'rm -rf /\\nls\\n' | head -n 1",
    "tail": "printf 'ls\\nrm -rf /\\n' | tail -1",
    "tac": "printf 'ls\\nrm -rf /\\n' | tac | head -1",
    "sort": "printf 'rm -rf /\\necho\\n' | sort -r | head -1",
    "sed": "echo 'xx -rf /' | sed 's/x\\{2\\}/rm/'",
    "sed -E": "echo 'del del /' | sed -E 's/del (del)/rm -rf/'",
    "awk": "echo '9 rm -rf /' | awk '{ print $2, $3, $4 }'",
    "perl": 'perl -e \'print "rm " . "-rf /"\'',
    "ruby": "ruby -e 'puts \"/ fr- mr\".reverse'",
    "node": 'node -e \'console.log(["rm", "-rf", "/"].join(" "))\'',
    "php": "php -r 'echo \"rm -rf /\";'",
    "python": "python3 -c \"print('rm -rf /')\"",
    "python base64": f"python3 -c \"import base64; print(base64.b64decode('{_B64}').decode())\"",
    "a file": f"echo {_B64} > /tmp/p; base64 -d /tmp/p",
    "tee": "echo 'rm -rf /' | tee /tmp/p",
}

ENDS = {
    "sh": "{} | sh",
    "bash -s": "{} | bash -s",
    "substitution": 'sh -c "$({})"',
    "eval": 'eval "$({})"',
    "process": "bash <({})",
    "here-string": 'bash <<< "$({})"',
    "source": "{} | source /dev/stdin",
    "a file": "({}) > /tmp/x; sh /tmp/x",
    "a program": "({}) > /tmp/x; chmod +x /tmp/x; /tmp/x",
    "a variable": "x=$({}); $x",
    "xargs": "{} | xargs -I{{}} sh -c '{{}}'",
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_what_is_decoded_and_run_is_seen(source: str) -> None:
    assert ENGINE.decide(Action.shell(f"{{ {source}; }} | sh", **WHERE)).verdict is Verdict.BLOCK


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS.keys())
@pytest.mark.parametrize("source", ["base64", "rot13", "gzip", "perl"])
def test_however_it_is_run(source: str, end: str) -> None:
    assert ENGINE.decide(Action.shell(end.format(SOURCES[source]), **WHERE)).verdict is Verdict.BLOCK


@given(
    st.lists(st.sampled_from(["base64", "base32", "hex", "rev", "gzip", "rot13"]), max_size=5), st.sampled_from([*ENDS])
)
def test_any_stack_of_encodings_is_undone(stack: list[str], end: str) -> None:
    data = COMMAND.encode()
    filters: list[str] = []
    for encoding in stack:
        if encoding in ("rev", "rot13") and not data.isascii():
            continue
        data, undo = _ENCODED[encoding](data)
        filters.insert(0, undo)
    if not data.isascii():
        data, undo = _ENCODED["base64"](data)
        filters.insert(0, undo)
    command = " | ".join([f"printf %s {shlex.quote(data.decode())}", *filters])
    assert ENGINE.decide(Action.shell(ENDS[end].format(command), **WHERE)).verdict is Verdict.BLOCK


_ENCODED: dict[str, Callable[[bytes], tuple[bytes, str]]] = {
    "base64": lambda data: (base64.b64encode(data), "base64 -d"),
    "base32": lambda data: (base64.b32encode(data), "base32 -d"),
    "hex": lambda data: (data.hex().encode(), "xxd -r -p"),
    "rev": lambda data: (data[::-1], "rev"),
    "gzip": lambda data: (gzip.compress(data, mtime=0), "gunzip"),
    "rot13": lambda data: (codecs.encode(data.decode(), "rot13").encode(), "tr 'A-Za-z' 'N-ZA-Mn-za-m'"),
}

LANGUAGES = {
    "python3": "import os; os.system('rm -rf /')",
    "perl": "system('rm -rf /')",
    "ruby": "system 'rm -rf /'",
    "node": "require('child_process').execSync('rm -rf /')",
    "php": "<?php system('rm -rf /');",
}


@pytest.mark.parametrize("program", LANGUAGES)
def test_what_is_decoded_may_be_in_any_language(program: str) -> None:
    encoded = base64.b64encode(LANGUAGES[program].encode()).decode()
    command = f"echo {encoded} | base64 -d | {program}"
    assert ENGINE.decide(Action.shell(command, **WHERE)).verdict is Verdict.BLOCK


HIDDEN = [
    "base64 -d payload.b64 | sh",
    'echo "$PAYLOAD" | base64 -d | bash',
    'eval "$(xxd -r -p payload.hex)"',
    'bash -c "$(gpg -d payload.gpg)"',
    "x=$(base64 -d payload); $x",
    "openssl enc -d -aes-256-cbc -in payload -k x | sh",
    "base64 -d payload > /tmp/x && bash /tmp/x",
    "cat payload | rev | sh",
    "xz -dc payload.xz | sh",
    "echo QlpoOTFBWSZTWQ== | base64 -d | bzip2 -d | sh",
    "php -r 'eval(base64_decode($x));'",
    "ruby -e 'eval(Base64.decode64(ENV[\"P\"]))'",
    "powershell -EncodedCommand $PAYLOAD",
]


@pytest.mark.parametrize("command", HIDDEN)
def test_what_stays_hidden_is_asked_about(command: str) -> None:
    assessment = ENGINE.decide(Action.shell(command, **WHERE)).assessment
    assert "decoded_code" in [finding.rule for finding in assessment.findings]
    assert not assessment.coverage.full


SHOWN = [
    f"echo {_B64} | base64 -d",
    f"echo {_B64} | base64 -d > notes.txt",
    f'x=$(echo {_B64} | base64 -d); echo "$x"',
    "base64 -d image.b64 > image.png",
    "gunzip -c dump.sql.gz | psql app",
    "zcat access.log.gz | grep sh",
    "perl -e 'print \"rm -rf /\"'",
    "echo 'rm -rf /' | tr a-z A-Z",
]


@pytest.mark.parametrize("command", SHOWN)
def test_what_is_only_shown_is_not(command: str) -> None:
    assert ENGINE.decide(Action.shell(command, **WHERE)).assessment.level <= Level.MEDIUM


def test_a_filter_keeps_null_bytes_out() -> None:
    assert "\0" not in (apply_filter(["base64", "-d"], "AGEAYgA=") or "")
    assert shell("echo AGEAYgA= | base64 -d | sh") is not None


words = st.lists(
    st.sampled_from(["-d", "-r", "-p", "-n", "-c", "-f2", "-d,", "-1", "a-z", "b", "s/a/b/", "-s", ""]), max_size=4
)


@given(st.sampled_from(sorted(FILTERS)), words, st.text(max_size=60))
def test_any_filter_takes_any_text(name: str, options: list[str], text: str) -> None:
    found = apply_filter([name, *options], text)
    assert found is None or isinstance(found, str)
