"""Programs in compiled languages, written and run by one action."""

from __future__ import annotations

import pytest

from interlock.model import Analysis
from tests.reading import shell

FILES = {
    "go": ("m.go", "go run", 'package main\nimport "os"\nfunc main() { os.RemoveAll("/home/u/docs") }'),
    "rust": ("m.rs", "rustc", 'fn main() { std::fs::remove_dir_all("/home/u/docs").unwrap(); }'),
    "c": ("m.c", "gcc", '#include <stdlib.h>\nint main(void) { system("rm -rf /home/u/docs"); }'),
    "java": (
        "M.java",
        "java",
        'class M { void main() throws Exception { new ProcessBuilder("rm", "-rf", "/home/u/docs").start(); } }',
    ),
    "zig": ("m.zig", "zig run", 'pub fn main() !void { try std.fs.deleteTreeAbsolute("/home/u/docs"); }'),
    "dart": ("m.dart", "dart run", "void main() { Directory('/home/u/docs').deleteSync(recursive: true); }"),
    "haskell": ("m.hs", "runghc", 'main = removeDirectoryRecursive "/home/u/docs"'),
}
INLINE = [
    "rust-script -e 'std::fs::remove_dir_all(\"/home/u/docs\").unwrap()'",
    "ghc -e 'System.Directory.removeDirectoryRecursive \"/home/u/docs\"'",
    "kotlin -e 'java.io.File(\"/home/u/docs\").deleteRecursively()'",
    "dotnet script eval 'System.IO.Directory.Delete(\"/home/u/docs\", true);'",
    "crystal eval 'FileUtils.rm_rf(\"/home/u/docs\")'",
    "echo 'FileManager.default.removeItem(atPath: \"/home/u/docs\")' | swift -",
    "echo 'int main() { system(\"rm -r /home/u/docs\"); }' | gcc -xc -",
    "echo 'exec \"rm -r /home/u/docs\"' | nim r -",
]


def deleted(analysis: Analysis) -> list[str]:
    """Return the files that are deleted."""
    return [one.resource.name for one in analysis.effects if one.kind == "fs.delete" and one.resource]


@pytest.mark.parametrize("language", FILES)
def test_a_program_that_is_written_and_run_is_read(language: str) -> None:
    name, command, text = FILES[language]
    found = shell(f"cat > {name} <<'EOF'\n{text}\nEOF\n{command} {name}")
    assert "/home/u/docs" in deleted(found), found.effects


@pytest.mark.parametrize("line", INLINE)
def test_code_in_an_option_or_on_standard_input_is_read(line: str) -> None:
    assert "/home/u/docs" in deleted(shell(line))


@pytest.mark.parametrize("line", ["rustc m.rs && ./m", "go run ./cmd/app", "dotnet build", "nim c app.nim"])
def test_programs_of_the_project_delete_nothing(line: str) -> None:
    assert deleted(shell(line)) == []
