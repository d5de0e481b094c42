"""Build tools, test runners, linters and language runtimes: ordinary work that runs the project's own code."""

from interlock.analyse.catalogue.spec import Spec

#: What `cmake -E` does: small commands that work the same everywhere.
CMAKE_COMMANDS = Spec(
    "cmake -E",
    sub={
        "rm": Spec("rm", operands="fs.delete*", options={"-r -R --recursive": "+recursive", "-f --force": "+force"}),
        "remove": Spec("remove", operands="fs.delete*", options={"-f": "+force"}),
        "remove_directory": Spec("remove_directory", operands="fs.delete*", flags="recursive force"),
        "copy copy_if_different copy_directory copy_directory_if_different": Spec("copy", operands="fs.read* fs.write"),
        "rename": Spec("rename", operands="fs.move fs.write"),
        "create_symlink create_hardlink": Spec("link", operands="- fs.write"),
        "touch touch_nocreate make_directory": Spec("touch", operands="fs.write*"),
        "cat sha256sum md5sum sha1sum sha512sum compare_files": Spec("cat", operands="fs.read*"),
        "time": Spec("time", operands="command"),
        "chdir": Spec("chdir", operands="chdir command"),
        "tar": Spec("tar", operands="- fs.write*"),
        "*": "system.read",
    },
)

SPECS = (
    Spec(
        "make gmake",
        does="process.spawn",
        operands="-*",
        options={
            "-C --directory": "=chdir",
            "-f --file --makefile -I --include-dir -o --old-file -W --what-if": "=-",
            "-E --eval": "=code:make",
            "-j --jobs -l --load-average -O --output-sync": "=-?",
            "-n --dry-run --just-print --recon -q --question -p --print-data-base -v --version": "!system.read",
        },
    ),
    Spec(
        "just task invoke inv nox tox meson mage earthly doit waf premake5 xmake",
        does="process.spawn",
        operands="-*",
        options={
            "-C --directory --working-directory -d": "=chdir",
            "-f --file --justfile --taskfile -j": "=-",
            "-n --dry-run --dry --list -l --summary --show --tasks -T": "!system.read",
        },
    ),
    Spec(
        "mvn mvnw gradle gradlew sbt ant bazel bazelisk buck buck2 ninja scons pants lein mill amper",
        does="process.spawn",
        operands="-*",
        options={"-f --file -p --project-dir -b -D -P -pl -s --settings -T -C": "=-"},
    ),
    Spec(
        "pytest py.test unittest jest vitest mocha ava karma cypress playwright phpunit rspec ctest nose2 coverage hypothesis",
        does="process.spawn",
        operands="-*",
    ),
    Spec(
        "ruff black isort flake8 pylint mypy pyright bandit pyflakes autopep8 yapf eslint prettier stylelint tsc biome rubocop gofmt golint golangci-lint "
        "clang-format clang-tidy shellcheck shfmt hadolint yamllint markdownlint rustfmt ktlint swiftlint semgrep djlint vulture",
        does="process.spawn",
        operands="-*",
    ),
    Spec(
        "gcc g++ cc c++ clang clang++ rustc javac ld as ar ranlib strip swiftc ghc ocamlc nasm",
        does="process.spawn",
        operands="fs.read*",
        options={"-o": "=fs.write", "-I -L -l -D -std -W": "=-?"},
    ),
    Spec(
        "python python2 python3 pypy3",
        operands="script",
        options={"-c": "=code:python", "-m": "=-", "-W -X": "=-", "-u -O -B -I -E -s -S -v -i -q": ""},
    ),
    Spec(
        "java",
        operands="script",
        options={"-jar": "=script", "-cp -classpath": "=-", "-version --version": "!system.read"},
    ),
    Spec("swift scala kotlin", operands="script", options={"-e --eval": "=code:other"}),
    Spec(
        "dotnet msbuild",
        sub={
            "build test run restore clean publish pack watch format new": "process.spawn",
            "add": Spec(
                "add", operands="-*", does="package.install", options={"-s --source": "=-", "-v --version -n": "=-"}
            ),
            "remove": "package.remove",
            "tool workload": Spec(
                "tool",
                sub={
                    "install update": "package.install*",
                    "uninstall": "package.remove*",
                    "run": "process.spawn",
                    "*": "package.read",
                },
            ),
            "ef": Spec(
                "ef",
                sub={
                    "database": Spec(
                        "database",
                        sub={
                            "drop": Spec("drop", does="db.drop", flags="task", options={"--dry-run": "!db.read"}),
                            "update": Spec("update", does="db.write", flags="task"),
                            "*": "process.spawn",
                        },
                    ),
                    "*": "process.spawn",
                },
            ),
            "nuget": Spec(
                "nuget",
                sub={
                    "push": Spec("push", does="package.publish", operands="-*"),
                    "delete": Spec("delete", does="package.publish", flags="withdraw", operands="-*"),
                    "add": Spec("add", does="package.install", flags="index", operands="-*"),
                    "*": "package.read",
                },
            ),
            "user-secrets": Spec("user-secrets", sub={"list": "secret.read", "*": "process.run"}),
            "list --info --version --list-sdks --list-runtimes help sln": "system.read",
            "*": "process.spawn",
        },
    ),
    Spec(
        "xcodebuild uvicorn gunicorn next vite webpack rollup esbuild parcel",
        does="process.spawn",
        operands="-*",
    ),
    Spec(
        "celery",
        options={"-A --app -b --broker -l --loglevel --workdir": "=-"},
        sub={
            "purge": Spec("purge", does="db.delete", flags="queue unbounded"),
            "status report inspect list": "system.read",
            "*": "process.spawn",
            "": "process.spawn",
        },
    ),
    Spec("mdbook mkdocs sphinx-build hugo jekyll docusaurus", does="process.spawn", operands="-*"),
)
