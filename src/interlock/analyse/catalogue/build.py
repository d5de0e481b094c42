"""Build tools, test runners, linters and language runtimes: ordinary work that runs the project's own code."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec(
        "make gmake cmake just task rake invoke nox tox meson",
        does="process.spawn",
        operands="-*",
        options={"-C --directory": "=chdir", "-f --file -j": "=-", "-n --dry-run": "!system.read"},
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
        "gcc g++ cc c++ clang clang++ rustc javac ld as ar nm objdump ranlib strip ldd swiftc ghc ocamlc nasm",
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
        "dotnet msbuild nuget",
        sub={
            "build test run restore clean publish pack": "process.spawn",
            "add": "package.install",
            "list --info --version": "system.read",
            "*": "process.spawn",
        },
    ),
    Spec(
        "flutter dart xcodebuild pod fastlane rails bin/rails django-admin manage.py flask uvicorn gunicorn celery alembic next vite webpack rollup esbuild parcel turbo nx lerna",
        does="process.spawn",
        operands="-*",
    ),
    Spec("mdbook mkdocs sphinx-build hugo jekyll docusaurus", does="process.spawn", operands="-*"),
    Spec(
        "interlock",
        sub={
            "trust": Spec(
                "trust", operands="fs.write*", does="defence.disable", flags="guard_config", default="interlock.toml"
            ),
            "*": "system.read",
            "": "system.read",
        },
    ),
)
