"""Build tools, test runners, linters and language runtimes: ordinary work that runs the project's own code."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec(
        "make gmake cmake just task invoke nox tox meson",
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
        "node nodejs deno tsx ts-node",
        stdin="javascript",
        operands="script",
        options={
            "-e --eval -p --print": "=code:javascript",
            "-r --require --loader --import": "=-",
            "-v --version -h --help": "!system.read",
        },
    ),
    Spec("perl", stdin="perl", operands="script", options={"-e -E": "=code:perl", "-n -p -i -w -l": "", "-M -I": "=-"}),
    Spec("ruby irb", stdin="ruby", operands="script", options={"-e": "=code:ruby", "-r -I": "=-"}),
    Spec("php", stdin="php", operands="script", options={"-r": "=code:php", "-d -c": "=-"}),
    Spec("lua luajit", stdin="lua", operands="script", options={"-e": "=code:lua", "-l": "=-"}),
    Spec(
        "java",
        operands="script",
        options={"-jar": "=script", "-cp -classpath": "=-", "-version --version": "!system.read"},
    ),
    Spec(
        "Rscript julia osascript pwsh powershell swift scala groovy elixir",
        operands="script",
        options={"-e --eval -c -Command": "=code:other", "-EncodedCommand -enc": "=code:other"},
    ),
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
        "flutter dart xcodebuild pod uvicorn gunicorn celery next vite webpack rollup esbuild parcel turbo nx lerna",
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
