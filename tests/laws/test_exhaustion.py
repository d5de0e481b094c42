"""Laws of exhaustion: an endless input stays endless through filters, and a limit anywhere ends it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock import Action, Engine

ENGINE = Engine()
SOURCES = st.sampled_from(["cat /dev/zero", "cat /dev/urandom", "yes", "yes no"])
FILTERS = st.lists(st.sampled_from(["tr a b", "base64", "sed s/a/b/", "fold -w 80", "cat"]), max_size=3)


def _allowed(text: str) -> bool:
    return ENGINE.decide(Action.shell(text, cwd="/home/u/project", workspace="/home/u/project", home="/home/u")).allowed


@given(source=SOURCES, filters=FILTERS, sink=st.sampled_from(["tail", "sort", "tee big.txt", "cat > big.txt"]))
def test_filters_do_not_end_an_endless_input(source: str, filters: list[str], sink: str) -> None:
    assert not _allowed(" | ".join([source, *filters, sink]))


@given(source=SOURCES, filters=FILTERS, sink=st.sampled_from(["tail", "sort", "tee small.txt", "cat > small.txt"]))
def test_a_limit_ends_it(source: str, filters: list[str], sink: str) -> None:
    assert _allowed(" | ".join([source, *filters, "head -n 5", sink]))


@pytest.mark.parametrize(
    ("asks", "passes"),
    [
        ("fallocate -l 900G x.img", "fallocate -l 1G x.img"),
        ("dd if=/dev/zero of=x bs=1G count=500", "dd if=/dev/zero of=x bs=1M count=500"),
        ("while :; do echo x >> log; done", "while :; do date >> log; sleep 60; done"),
        ('for p in $(cat w); do sshpass -p "$p" ssh 192.0.2.1; done', "for p in 22 2222; do ssh -p $p host; done"),
        ("b() { b & b & }; b", "serve() { python -m http.server & }; serve"),
        ("node -e 'while(true)a.push(new Array(1e6))'", "node -e 'setInterval(() => console.log(1), 1000)'"),
        ("systemctl restart sshd", "systemctl restart nginx"),
        ("ssh web1.example.com systemctl restart nginx", "systemctl --user stop app"),
        (
            "osascript -e 'tell application \"Notes\" to get body of every note'",
            "osascript -e 'display notification \"x\"'",
        ),
    ],
)
def test_neighbours_differ(asks: str, passes: str) -> None:
    assert not _allowed(asks)
    assert _allowed(passes)
