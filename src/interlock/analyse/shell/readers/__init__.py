"""Readers of programs whose arguments the catalogue alone cannot describe. A reader takes precedence over it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from interlock.analyse.flow import Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.readers.conditions import conditional_reader
from interlock.knowledge.catalogue import PROGRAMS
from interlock.lazy import LazyTable

#: Service clients with a reader of their own.
FORGES = ("gh", "glab", "hub", "tea")
_STORES = ("consul", "etcdctl")
#: Coding agents with subcommands, and those that are given a prompt or files.
AGENTS = tuple(
    "claude codex gemini cursor-agent amazon-q q opencode crush amp cline droid qwen kimi auggie openhands plandex "
    "cody cn forge iflow kiro-cli jules junie kilocode kilo roo codebuff grok vibe trae-cli qodo devin tabnine "
    "sweagent mini-swe-agent rovodev".split()
)
PAIR_PROGRAMMERS = tuple(
    "aider gptme interpreter open-interpreter mentat sweep gpt-engineer gpte devika llm chatgpt sgpt mods aichat "
    "fabric ollama-cli openai anthropic".split()
)
#: Service clients that their `[client]` tables describe.
CLIENTS = tuple(name for name in PROGRAMS.index.clients if name not in FORGES + _STORES)
_CLIENT_READER = "service_clients:SERVICE_CLIENTS"

#: The programs of each module here, which is imported when a command names one of them.
GROUPS: dict[str, Iterable[str]] = {
    "windows:WINDOWS": (*PROGRAMS.index.windows, *"net net1 netsh forfiles runas winrs certutil wmic rmdir".split()),
    "powershell:POWERSHELLS": (
        "invoke-expression iex start-process saps powershell pwsh pwsh-preview powershell_ise cmd"
    ).split(),
    "builtins:BUILTINS": (
        "echo printf pwd eval alias mktemp shift set trap bind complete compgen hash enable { ! which type "
        "yes cd pushd popd source . read return break continue mapfile readarray : true false shopt test [ exit "
        "wait sleep unset unalias bg fg umask getopts let times ulimit } export declare typeset local readonly"
    ).split(),
    "interpreters:INTERPRETERS": (
        "sh bash zsh dash ksh ash mksh rbash fish csh tcsh python python2 python3 pypy pypy3 ptpython bpython awk "
        "gawk mawk nawk goawk sed gsed perl perl5 raku rakudo perl6 cperl ruby irb jruby pry truffleruby node nodejs "
        "tsx esno esmo vite-node swc-node jiti ts-node ts-node-esm babel-node zx qjs gjs cjs d8 jsc llrt xs mujs "
        "electron php php7 php8 lua luajit lua5.1 lua5.3 lua5.4 texlua osascript Rscript R littler r julia groovy "
        "elixir tclsh wish expect octave octave-cli matlab scilab scilab-cli scilab-adv-cli maxima gnuplot clojure "
        "clj cljs csi chicken-csi hy hy3 janet fennel gosh gsi chibi-scheme chezscheme mit-scheme ros lfe newlisp "
        "picolisp guile racket sbcl ccl ecl abcl clisp bb babashka joker nbb planck lumo"
    ).split(),
    "toolchains:TOOLCHAINS": (
        "gcc g++ cc c++ clang clang++ icx icpx nvcc emcc em++ tcc cling root rustc rust-script evcxr irust "
        "cargo gorun yaegi gomacro jshell javac jbang kotlin kotlinc kscript scala scala-cli amm scalac swift "
        "swiftc dotnet dotnet-script csharp csc mcs fsharpi fsi fsc ghc ghci runghc runhaskell stack cabal "
        "dart zig nim crystal rdmd dmd ldc2 gdc dub ocaml utop ocamlc ocamlopt ocamlfind v"
    ).split(),
    "version_managers:VERSION_MANAGERS": ("nvm", "rvm", "nix", "guix"),
    "wrappers:WRAPPERS": (
        "sudo doas su pkexec runuser run0 please dzdo env genv cross-env cross-env-shell coproc bwrap capsh "
        "nsenter ssh autossh start-stop-daemon"
    ).split(),
    "editors:EDITORS": "vim vi nvim vimdiff nvimdiff gvim rvim view ex ed gdb lldb less more man".split(),
    "transfers:TRANSFERS": "curl curlie wget wget2 http https xh xhs httpie scp rsync".split(),
    "find:FINDERS": "find gfind fd fdfind".split(),
    "xargs:XARGS": "xargs gxargs parallel".split(),
    "build_tools:BUILD_TOOLS": (
        "make gmake bmake pmake remake mingw32-make nmake pytest py.test cmake just mvn mvnw gradle gradlew sbt"
    ).split(),
    "package_managers:PACKAGE_MANAGERS": (
        "pacman yay paru pikaur trizen aura apt apt-get aptitude pip pip3 rpm rpmbuild"
    ).split(),
    "coding_agents:CODING_AGENTS": (*AGENTS, *PAIR_PROGRAMMERS, "copilot"),
    "package_runners:PACKAGE_RUNNERS": "npx bunx pnpx uvx npm pnpm yarn pipx uv go".split(),
    "javascript_runtimes:JAVASCRIPT_RUNTIMES": "deno bun".split(),
    "site_tools:SITE_TOOLS": "drush wp".split(),
    "schedules:SCHEDULES": "at batch crontab systemctl service invoke-rc.d rc-service sv initctl".split(),
    "tmux:TMUX": ("tmux", "byobu", "byobu-tmux"),
    "calculators:CALCULATORS": ("dc",),
    "key_stores:KEY_STORES": ("keytool",),
    "object_archives:OBJECT_ARCHIVES": ("ar", "gcc-ar", "llvm-ar"),
    "structured_data:STRUCTURED_DATA": ("yq",),
    "miller:MILLER": ("mlr",),
    "sound:SOUND": ("sox", "play"),
    "symbolic_links:SYMBOLIC_LINKS": ("ln",),
    "signals:SIGNALS": "kill pkill killall skill".split(),
    "process_views:PROCESS_VIEWS": ("ps",),
    "clipboards:CLIPBOARDS": "xclip xsel win32yank".split(),
    "network_tools:NETWORK_TOOLS": (
        "nc ncat netcat nc.traditional nc.openbsd nmap telnet vegeta tcpdump tshark dumpcap socat ping ping6 dig "
        "nslookup host drill delv dog kdig getent resolvectl mtr tracepath fping "
        "traceroute whois finger "
        "ftp tftp lftp ncftp sftp smbclient tnftp atftp http.server SimpleHTTPServer http-server "
        "serve miniserve simplehttpserver live-server darkhttpd thttpd mini_httpd micro_httpd quark sws "
        "static-web-server webfsd pyftpdlib ifconfig iwconfig route arp ethtool networksetup scutil mii-tool "
        "lynx w3m links elinks"
    ).split(),
    "system_tools:SYSTEM_TOOLS": "dd tar gtar bsdtar chmod install sysctl tee".split(),
    "git:GIT": "git patch gpatch".split(),
    _CLIENT_READER: CLIENTS,
    "forges:FORGES": FORGES,
    "orchestration:ORCHESTRATION": (
        "ansible ansible-playbook ansible-pull salt salt-ssh salt-call salt-run terraform tofu terragrunt"
    ).split(),
    "jars:JARS": ("java", "javaw"),
    "containers:CONTAINERS": (
        "docker podman nerdctl finch lima-nerdctl docker-compose podman-compose buildah lxc incus kubectl oc "
        "k kubecolor"
    ).split(),
    "databases:DATABASES": (
        "psql pgcli mysql mariadb mycli sqlite3 sqlite litecli duckdb mongo mongosh mysqlsh etcdctl consul redis-cli "
        "valkey-cli keydb-cli alembic flask goose phinx manage.py django-admin django dropdb createdb "
        "pg_restore mongorestore mysqlimport mariadb-import mongoimport mysqladmin mariadb-admin cqlsh "
        "clickhouse-client sqlcmd usql vsql"
    ).split(),
}


class Readers(LazyTable[Callable[[ShellCall], Flow]]):
    """All readers. That of a program with conditions checks them first, and then reads the program as usual."""

    def __init__(self) -> None:
        super().__init__(__name__, GROUPS, also=PROGRAMS.index.conditional)
        self._conditional = frozenset(PROGRAMS.index.conditional)
        self._matching: dict[str, Callable[[ShellCall], Flow]] = {}
        self._found: dict[str, Callable[[ShellCall], Flow]] = {}

    def get(self, name: str, default: Callable[[ShellCall], Flow] | None = None) -> Callable[[ShellCall], Flow] | None:  # type: ignore[override]
        """Return the reader of a program, or `default`."""
        found = self._found.get(name)
        if found is None and name in self._places:
            found = self._found[name] = self[name]
        return default if found is None else found

    def __getitem__(self, name: str) -> Callable[[ShellCall], Flow]:
        if name not in self._conditional:
            return super().__getitem__(name)
        found = self._matching.get(name)
        if found is None:
            found = self._matching[name] = conditional_reader(name, _OWN)
        return found


def names_read_by_code() -> frozenset[str]:
    """Return the programs of which a reader knows more than their descriptions say."""
    return frozenset(name for place, names in GROUPS.items() if place != _CLIENT_READER for name in names)


_OWN: LazyTable[Callable[[ShellCall], Flow]] = LazyTable(__name__, GROUPS)
READERS = Readers()
