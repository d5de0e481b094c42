"""How a hook imports: its own modules from compiled files, and libraries without modules that it has no use for."""

from __future__ import annotations

import importlib.util
import os
import py_compile
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

import interlock
from interlock.cli.compiled_modules import CompiledFinder, CompiledLoader
from interlock.cli.light_imports import StandIn

SOURCES = Path(interlock.__file__).parents[1]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The folder of a package with a module, both compiled."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    for name, text in {"__init__": "", "book": "title = 'first'\n"}.items():
        (folder / f"{name}.py").write_text(text)
        py_compile.compile(str(folder / f"{name}.py"), doraise=True)
    return folder


def find(package: Path, name: str) -> ModuleSpec | None:
    return CompiledFinder("shelf", str(package)).find_spec(name)


def title(spec: ModuleSpec) -> str:
    module = importlib.util.module_from_spec(spec)
    assert spec.loader is not None
    spec.loader.exec_module(module)
    assert module.__file__ == spec.origin
    return str(module.title)


def test_a_compiled_module_is_loaded(package: Path) -> None:
    spec = find(package, "shelf.book")
    assert spec is not None
    assert isinstance(spec.loader, CompiledLoader)
    assert (spec.origin, spec.submodule_search_locations) == (str(package / "book.py"), None)
    assert spec.cached == importlib.util.cache_from_source(str(package / "book.py"))
    assert title(spec) == "first"


def test_a_package_in_a_package_is_found(package: Path) -> None:
    inner = package / "inner"
    inner.mkdir()
    (inner / "__init__.py").write_text("title = 'inner'\n")
    py_compile.compile(str(inner / "__init__.py"), doraise=True)
    spec = find(package, "shelf.inner")
    assert spec is not None
    assert spec.submodule_search_locations == [str(inner)]
    assert title(spec) == "inner"


def test_a_changed_source_is_left_to_python(package: Path) -> None:
    file = package / "book.py"
    before = file.stat()
    file.write_text("title = 'other'\n")  # as long as before
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 2_000_000_000))
    assert find(package, "shelf.book") is None
    file.write_text("title = 'longer'\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert find(package, "shelf.book") is None


@pytest.mark.parametrize("head", [b"", b"\0" * 16, b"short"])
def test_a_file_of_another_version_is_left_to_python(package: Path, head: bytes) -> None:
    compiled = Path(importlib.util.cache_from_source(str(package / "book.py")))
    compiled.write_bytes(head + compiled.read_bytes()[16:] if head else b"")
    assert find(package, "shelf.book") is None


def test_a_file_that_is_checked_by_its_hash_is_left_to_python(package: Path) -> None:
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    py_compile.compile(str(package / "book.py"), doraise=True, invalidation_mode=mode)
    assert find(package, "shelf.book") is None


def test_other_modules_are_left_to_python(package: Path) -> None:
    (package / "book.py").unlink()
    assert [find(package, name) for name in ("shelf.book", "shelf.none", "shelf", "shelfbook", "json")] == [None] * 5


def test_a_stand_in_imports_its_module_on_use(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = StandIn("colorsys", ONE_THIRD="given")
    monkeypatch.setitem(sys.modules, "colorsys", stand_in)
    assert importlib.import_module("colorsys") is stand_in
    assert stand_in.ONE_THIRD == "given"
    assert not hasattr(stand_in, "__path__")
    assert sys.modules["colorsys"] is stand_in
    assert stand_in.rgb_to_hsv is importlib.import_module("colorsys").rgb_to_hsv
    assert sys.modules["colorsys"] is not stand_in
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = stand_in.no_such_name


#: Uses each module that had a stand-in when the libraries were imported.
USES = f"""
import sys
sys.path.append({str(SOURCES)!r})
from interlock.cli import _find_packages, _import_lightly
_find_packages()
_import_lightly()
assert not {{"ipaddress", "msgspec.inspect", "platform", "textwrap", "_hashlib"}} & set(sys.modules)
import hashlib, ipaddress, msgspec, pathlib, platform, textwrap, urllib.parse, uuid
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
raw = serialization.Encoding.Raw, serialization.PublicFormat.Raw
assert len(Ed25519PrivateKey.generate().public_key().public_bytes(*raw)) == 32
assert hashlib.sha256(b"a").hexdigest() == "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
assert hashlib.sha512(b"a").hexdigest()[:8] == "1f40fc92"
assert pathlib.Path("/a b").as_uri() == "file:///a%20b"
assert pathlib.PureWindowsPath("C:/a").drive == "C:"
assert urllib.parse.urlsplit("http://[::1]:1/").port == 1
assert msgspec.inspect.type_info(int) == msgspec.inspect.IntType()
assert msgspec.json.schema(int) == {{"type": "integer"}}
assert uuid.uuid3(uuid.NAMESPACE_DNS, "a").version == 3
assert platform.machine() and textwrap.dedent(" a") == "a" and ipaddress.ip_address("::1").is_loopback
"""


def test_libraries_work_after_they_were_imported_with_stand_ins() -> None:
    subprocess.run([sys.executable, "-I", "-S", "-c", USES], check=True, timeout=60)
