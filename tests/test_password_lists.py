"""Documents and data in which people note their passwords are secrets, in any language."""

from __future__ import annotations

import unicodedata

import pytest

from interlock.analyse.files.traits import traits

LISTS = (
    "Passwords.xlsx",
    "all_passwords-2025.docx",
    "Zugangsdaten Kunden.odt",
    "passwörter_alle.txt",
    "mots de passe.csv",
    "contraseñas.pdf",
    "senhas-banco.xlsx",
    "пароли.txt",
    "密码.xlsx",
    "recovery codes.pdf",
)
OTHERS = (
    "password-policy.pdf",
    "Passwords best practices.pptx",
    "Passwörter Richtlinie.pdf",
    "passwords.py",
    "passwords.test.ts",
    "paroles.txt",
    "tests/fixtures/passwords.csv",
    "password_reset.html",
    "backup codes template.docx",
)


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_passwords_is_a_secret(name: str) -> None:
    assert "secret" in traits(f"/home/u/Documents/{name}")
    assert "secret" in traits(unicodedata.normalize("NFD", f"/home/u/Documents/{name}"))


@pytest.mark.parametrize("name", OTHERS)
def test_what_only_tells_about_passwords_is_none(name: str) -> None:
    assert "secret" not in traits(f"/home/u/project/{name}")
