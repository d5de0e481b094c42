"""Whatever a script does in real bash, in any branch that it may take, the analysis has read."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from interlock import Action, Engine

ENGINE = Engine()
RUNS = 24
NAMES, VALUES = st.sampled_from("abc"), st.sampled_from(["one", "two", "three"])

# What the commands of generated scripts do in bash: `rm` prints what it would delete, `maybe` fails now and then.
PRELUDE = """
rm() { shift; echo "$PWD $1"; }
maybe() { (( RANDOM % 2 )); }
"""

simple = st.one_of(
    st.builds("{}={}".format, NAMES, VALUES),
    st.builds("{}=${}".format, NAMES, NAMES),
    st.builds("{}+={}".format, NAMES, VALUES),
    st.builds('export {}="${}"'.format, NAMES, NAMES),
    st.builds('rm -rf "/data/${}"'.format, NAMES),
    st.sampled_from(["cd /usr/lib", "cd /etc", "rm -rf here"]),
)


def blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return statements around other statements."""
    body = st.lists(inner, min_size=1, max_size=3).map("\n".join)
    leave = st.sampled_from(["break", "continue", "maybe && continue", "maybe && break 2", "maybe || continue 2", ":"])
    return st.one_of(
        st.builds("if maybe; then\n{}\nfi".format, body),
        st.builds("if maybe; then\n{}\nelse\n{}\nfi".format, body, body),
        st.builds("if maybe; then\n{}\nelif maybe; then\n{}\nelse\n{}\nfi".format, body, body, body),
        st.builds("case $RANDOM in *1)\n{}\n;; *2)\n{}\n;; *)\n{}\n;; esac".format, body, body, body),
        st.builds("case $RANDOM in *[1-5])\n{}\n;& *6)\n{}\n;; esac".format, body, body),
        st.builds("maybe && {}".format, simple),
        st.builds("maybe && {} || {}".format, simple, simple),
        st.builds("maybe || {} && {}".format, simple, simple),
        st.builds("for i in 1 2; do\n{}\n{}\n{}\ndone".format, body, leave, body),
        st.builds("while (( ROUNDS++ < 2 )); do\n{}\n{}\n{}\ndone".format, body, leave, body),
        st.builds("f() {{\n{}\nmaybe && return\n{}\n}}\nf".format, body, body),
        st.builds("(\n{}\n)".format, body),
    )


START = "a=zero; b=zero; c=zero"
scripts = st.lists(st.recursive(simple, blocks, max_leaves=12), min_size=2, max_size=6).map(
    lambda statements: "\n".join([START, *statements])
)


def deleted_by_bash(script: str) -> set[str]:
    """Return the paths that a script would delete, in the runs of it that bash makes."""
    runs = "\n".join(f"( RANDOM={seed}; cd /usr; {script}\n)" for seed in range(1, RUNS))
    done = subprocess.run(["bash", "-c", PRELUDE + runs], capture_output=True, text=True, timeout=10, check=False)
    paths = set()
    for line in done.stdout.splitlines():
        folder, _, path = line.partition(" ")
        paths.add(path.rstrip("/") if path.startswith("/") else f"{folder}/{path}")
    return paths


def deleted_by_analysis(script: str) -> set[str]:
    analysis = ENGINE.decide(Action.shell(script, cwd="/usr", workspace="/usr", home="/home/u")).assessment.analysis
    if any("too many" in text for text in analysis.coverage.opaque):
        assume(False)
    return {effect.resource.name for effect in analysis.effects if effect.kind == "fs.delete" and effect.resource}


@pytest.mark.parametrize(
    "script",
    [
        "d=/; if x; then d=/tmp/x; else rm -rf $d; fi",
        "declare -A m; m[k]=build; if x; then m[k]=/; else m[k]=dist; fi; rm -rf ${m[k]}",
        "for i in a b; do for j in 1 2; do d=/; continue 2; done; d=build; done; rm -rf $d",
        'd=build; time { if x; then d=/; fi; }; rm -rf "$d"',
        "if x; then echo 'rm -rf /' > s.sh; else echo hi > s.sh; fi; bash s.sh",
    ],
)
def test_what_any_branch_leaves_behind_asks(script: str) -> None:
    assert not ENGINE.decide(Action.shell(script, cwd="/p", workspace="/p", home="/home/u")).allowed


@settings(max_examples=60, deadline=None)
@given(scripts)
def test_every_path_that_bash_would_delete_is_read(script: str) -> None:
    assert deleted_by_bash(script) <= deleted_by_analysis(script)
