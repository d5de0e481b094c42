"""Searches by tools are judged like the same searches in a shell."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Engine

ENGINE = Engine()
PROJECT = "/home/u/project"

ORDINARY: list[tuple[str, dict[str, Any]]] = [
    ("Grep", {"pattern": "password", "path": "src"}),
    ("Grep", {"pattern": "DB_PASSWORD"}),
    ("Grep", {"pattern": "password", "glob": ".env*", "output_mode": "files_with_matches"}),
    ("Grep", {"pattern": "x; rm -rf /", "path": "$(rm -rf ~)"}),
    ("Grep", {}),
    ("Glob", {"pattern": "**/.env*"}),
    ("Glob", {"pattern": "**/*.ts", "path": "src"}),
    ("search_files", {"path": "src", "regex": "api_key", "file_pattern": "*.py"}),
    ("codebase_search", {"query": "where is the user's password hashed?"}),
    ("search_code", {"q": "repo:acme/orders path:src DB_PASSWORD"}),
    ("search_code", {"query": "parse_token", "owner": "acme", "repo": "orders"}),
    ("mcp__slack__search_messages", {"query": "reset password bug"}),
    ("mcp__slack__search_messages", {"query": "token budget in:#ml"}),
    ("mcp__outlook__search_messages", {"$search": '"password policy" OR invoice'}),
    ("mcp__gmail__search_emails", {"query": "from:bank.example statement"}),
]
FOR_SECRETS: list[tuple[str, dict[str, Any]]] = [
    ("Grep", {"pattern": "password", "path": "/home/u"}),
    ("Grep", {"pattern": "password", "glob": ".env*"}),
    ("Grep", {"pattern": "AKIA[0-9A-Z]{16}"}),
    ("Grep", {"pattern": "KEY", "path": "~/.aws/credentials"}),
    ("Glob", {"pattern": "/home/u/**/id_rsa"}),
    ("Glob", {"pattern": "~/**/*.kdbx"}),
    ("find_files", {"pattern": "*.pem", "path": "/"}),
    ("search_code", {"q": "org:acme filename:.env DB_PASSWORD"}),
    ("search_code", {"q": "extension:pem private"}),
    ("search_code", {"query": "ghp_[A-Za-z0-9]{36}", "owner": "acme"}),
    ("mcp__slack__search_messages", {"query": "password in:dm"}),
    ("mcp__slack__search_messages", {"query": "deploy OR AWS_SECRET_ACCESS_KEY"}),
    ("mcp__outlook__search_messages", {"$search": '"verification code" OR "reset your password"'}),
    ("mcp__gmail__search_emails", {"query": "subject:(password reset) newer_than:1d"}),
]


def is_allowed(tool: str, arguments: dict[str, Any]) -> bool:
    action = Action(tool_name=tool, input_payload=arguments, cwd=PROJECT, workspace=PROJECT, home="/home/u")
    return ENGINE.decide(action).allowed


@pytest.mark.parametrize(("tool", "arguments"), ORDINARY, ids=str)
def test_an_ordinary_search_passes(tool: str, arguments: dict[str, Any]) -> None:
    assert is_allowed(tool, arguments)


@pytest.mark.parametrize(("tool", "arguments"), FOR_SECRETS, ids=str)
def test_a_search_for_secrets_asks(tool: str, arguments: dict[str, Any]) -> None:
    assert not is_allowed(tool, arguments)
