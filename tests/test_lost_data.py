"""Data that is lost or rewritten: mappers, stores, files of a person, and the harmless neighbours."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from interlock import Action, Engine

PLACE = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}
ENGINE = Engine()
MAKERS: dict[str, Callable[..., Action]] = {"$": Action.shell, ">": Action.python, "?": Action.sql}


def is_stopped(text: str) -> bool:
    action = MAKERS[text[0]](text[2:], **PLACE)
    return ENGINE.decide(action).verdict.value in ("require_approval", "block")


PAIRS = [
    ("$ sed -i s/a/b/ ~/Documents/*.txt", "$ sed -i s/a/b/ ~/Documents/list.txt"),
    ("$ mv ~/Documents/thesis.docx /dev/null", "$ mv a.txt b.txt"),
    ("$ cp fixtures/empty.db instance/app.db", "$ cp instance/app.db instance/app-backup.db"),
    ("$ rm -rf src", "$ rm -rf src/generated"),
    ("$ echo flush_all | nc cache.example.com 11211", "$ echo stats | nc localhost 11211"),
    ("$ redis-cli CONFIG GET requirepass", "$ redis-cli CONFIG GET maxmemory"),
    ("$ mongosh app --eval 'db.adminCommand({shutdown: 1})'", "$ mongosh app --eval 'db.runCommand({ping: 1})'"),
    ("$ curl http://localhost:5984/_users/_all_docs", "$ curl http://localhost:5984/orders/_all_docs"),
    ("$ curl 'http://ch:8123/?query=DROP%20TABLE%20t'", "$ curl 'http://ch:8123/?query=SELECT%201'"),
    (
        "> from app import User, s\ns.query(User).delete()",
        "> from app import User, s\ns.query(User).all()",
    ),
    ("> from app import User\nUser.query.delete()", "> from app import User\nUser.query.filter_by(id=7).delete()"),
    (
        "> import redis\nredis.Redis('cache.example.com').execute_command('FLUSHALL')",
        "> import redis\nredis.Redis('cache.example.com').execute_command('PING')",
    ),
    (
        "> import psutil\nfor p in psutil.process_iter():\n    if p.name() == 'auditd':\n        p.kill()",
        "> import psutil\nfor p in psutil.process_iter():\n    if p.name() == 'vite':\n        p.kill()",
    ),
    (
        "> import paramiko\nssh = paramiko.SSHClient()\nfor w in words:\n    ssh.connect('192.0.2.1', password=w)",
        "> import paramiko\nfor h in hosts:\n    paramiko.SSHClient().connect(h, password=secret)",
    ),
    (
        "> df.write.mode('overwrite').saveAsTable('shop.orders')",
        "> df.write.mode('append').saveAsTable('shop.orders')",
    ),
    (
        "> from unittest.mock import patch\nfrom shutil import rmtree\nwith patch('shutil.rmtree'):\n    rmtree('/')",
        "> from unittest.mock import patch\nimport shutil\nwith patch('shutil.rmtree'):\n    shutil.rmtree('/srv')",
    ),
    ("? FLASHBACK TABLE orders TO BEFORE DROP", "? SELECT * FROM orders AS OF TIMESTAMP SYSDATE - 1"),
    ("? UPDATE wallets SET balance = 5 WHERE id = 1", "? UPDATE wallets SET label = 'x' WHERE id = 1"),
    ("? INSERT INTO user_roles VALUES (7, 'admin')", "? INSERT INTO user_roles VALUES (7, 'viewer')"),
    ("? VACUUM orders RETAIN 0 HOURS", "? VACUUM orders RETAIN 168 HOURS"),
]


@pytest.mark.parametrize(("lost", "kept"), PAIRS, ids=[pair[0][:40] for pair in PAIRS])
def test_what_is_lost_asks_and_its_neighbour_passes(lost: str, kept: str) -> None:
    assert is_stopped(lost)
    assert not is_stopped(kept)


def test_a_patch_that_the_text_makes_itself_frees_nothing() -> None:
    text = (
        "> import shutil, contextlib\ndef patch(x): return contextlib.nullcontext()\n"
        "with patch('shutil.rmtree'):\n    shutil.rmtree('/srv/data')"
    )
    assert is_stopped(text)
