"""Repositories of test frameworks and test suites that projects clone to run their own tests."""

from __future__ import annotations

from interlock.patterns import late

_ROWS = {
    "nvim-lua": "plenary.nvim",
    "nvim-mini": "mini.nvim",
    "echasnovski": "mini.nvim mini.test",
    "junegunn": "vader.vim",
    "thinca": "vim-themis",
    "vim-test": "vim-test",
    "bats-core": "bats-core bats-support bats-assert bats-file bats-detik",
    "ztombol": "bats-support bats-assert bats-file",
    "kward": "shunit2",
    "shellspec": "shellspec",
    "zunit-zsh": "zunit",
    "jorgebucaran": "fishtape",
    "pgrange": "bash_unit",
    "catchorg": "Catch2",
    "google": "googletest benchmark fuzztest",
    "doctest": "doctest",
    "boost-ext": "ut",
    "cpputest": "cpputest",
    "ThrowTheSwitch": "Unity CMock Ceedling",
    "nemequ": "munit",
    "silentbicycle": "greatest theft",
    "Snaipe": "Criterion",
    "libcheck": "check",
    "web-platform-tests": "wpt",
    "tc39": "test262",
    "WebAssembly": "testsuite spec wasi-testsuite",
    "json-schema-org": "JSON-Schema-Test-Suite",
    "toml-lang": "toml-test",
    "BurntSushi": "toml-test",
    "yaml": "yaml-test-suite",
    "nst": "JSONTestSuite",
    "commonmark": "commonmark-spec",
    "unicode-org": "conformance",
    "C2SP": "wycheproof x509-limbo",
    "riscv-non-isa": "riscv-arch-test",
    "riscv-software-src": "riscv-tests",
    "SingleStepTests": "65x02 z80 8088 sm83 m68000",
    "c-sp": "gameboy-test-roms",
    "retrio": "gb-test-roms",
    "christopherpow": "nes-test-roms",
    "html5lib": "html5lib-tests",
    "w3c": "json-ld-api rdf-tests",
    "ethereum": "tests execution-spec-tests consensus-spec-tests",
    "foundry-rs": "forge-std",
    "theory": "pgtap",
    "bitwes": "Gut",
    "MikeSchulze": "gdUnit4",
    "lunarmodules": "busted luassert luacov",
    "python-pillow": "test-images",
    "nf-core": "test-datasets",
    "OSGeo": "PROJ-data",
}  # fmt: skip
_KNOWN = frozenset(f"{owner}/{name}".lower() for owner, names in _ROWS.items() for name in names.split())
_ADDRESS = late(r"(?:https://github\.com/|git@github\.com:|ssh://git@github\.com/)([\w.-]+/[\w.-]+?)(?:\.git)?/?$")


def is_test_repository(address: str) -> bool:
    """Whether an address is that of a well-known test framework or test suite.

    >>> is_test_repository("https://github.com/bats-core/bats-core.git")
    True
    >>> is_test_repository("https://github.com/someone/bats-core"), is_test_repository("http://github.com/yaml/x")
    (False, False)
    """
    found = _ADDRESS.match(address)
    return found is not None and found[1].lower() in _KNOWN
