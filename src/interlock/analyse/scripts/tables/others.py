"""R, Julia, Groovy and AppleScript."""

from interlock.analyse.scripts.syntax import Quote, Syntax

_R = {
    "system system2 shell shell.exec processx.run sys.exec": "all:shell",
    "pipe": "0:shell",
    "eval": "0:code",
    "parse str2lang": "=same",
    "source": "0:code.run",
    "unlink": "0:fs.delete +recursive +library",
    "file.remove": "*:fs.delete",
    "file.rename": "0:fs.move 1:fs.write",
    "file.copy": "0:fs.read 1:fs.write",
    "writeLines write.csv write.table saveRDS save": "1:fs.write",
    "readLines readRDS read.csv read.table scan file url": "0:url",
    "download.file": "0:net.fetch 1:fs.write",
    "socketConnection make.socket": "0:host",
    "Sys.getenv": "@environment env.read >environment",
    "Sys.chmod": "0:fs.mode",
    "install.packages devtools.install_github remotes.install_github": "package.install",
    "dyn.load": "code.opaque +native",
    "cat print message": "@print",
    "paste": "=concat",
    "paste0": "=concat",
    "rawToChar charToRaw as.character": "=same",
    "base64enc.base64decode jsonlite.base64_dec": "=base64",
    "readline": ">input",
}

_RAW = {
    f"{letter}{quote}{dashes}{opener}": Quote(f"{closer}{dashes}{quote}", "")
    for letter in "rR"
    for quote in "'\""
    for dashes in ("", "-", "--", "---")
    for opener, closer in ("()", "[]", "{}")
}

R = Syntax(
    "r",
    comments=("#",),
    quotes={"'": Quote("'"), '"': Quote('"'), "`": Quote("`", ""), **_RAW},
    members=("::", ":::", "$"),
    joins=frozenset(),
    lines=True,
    word=r"[A-Za-z_.][\w.]*",
    inputs=frozenset({"commandArgs"}),
    rows=_R,
)

_JULIA = {
    "run read readchomp pipeline success": "=same",
    "Cmd": "0:shell",
    "eval include_string": "0:code",
    "Meta.parse": "=same",
    "include": "0:code.run",
    "rm": "0:fs.delete +recursive +library",
    "mv": "0:fs.move 1:fs.write",
    "cp": "0:fs.read 1:fs.write",
    "open": "@open",
    "write": "0:fs.write",
    "chmod": "0:fs.mode",
    "download Downloads.download": "0:net.fetch",
    "connect Sockets.connect": "0:host",
    "ENV": "@environment env.read >environment",
    "base64decode Base64.base64decode": "=base64",
    "String string": "=concat",
    "join": "=join",
    "reverse": "=reverse",
    "println": "@line",
    "print": "@print",
    "ccall": "code.opaque +native",
    "Pkg.add": "package.install",
}

JULIA = Syntax(
    "julia",
    comments=("#",),
    blocks={"#=": "=#"},
    nests=True,
    characters=r"'(?:\\[^\n]{1,9}?|[^'\\\n])'",
    quotes={'"""': Quote('"""', fills=True), '"': Quote('"', fills=True), "`": Quote("`", fills=True, runs=True)},
    joins=frozenset({"*"}),
    lines=True,
    fills=r"\\.|(?P<code>\$\()|\$(?P<name>\w+)",
    inputs=frozenset({"ARGS"}),
    environment=frozenset({"ENV"}),
    rows=_JULIA,
)

_GROOVY = {
    ".execute": "self:shell",
    "Runtime.runtime.exec Runtime.getRuntime.exec Runtime.getRuntime().exec .exec": "0:shell",
    "ProcessBuilder": "all:shell",
    "evaluate GroovyShell.evaluate Eval.me .evaluate": "0:code",
    "File": "=same",
    ".delete": "self:fs.delete",
    ".deleteDir": "self:fs.delete +recursive +library",
    ".write .setText .append": "self:fs.write",
    ".getText": "self:url",
    ".text": "self:url",
    "URL": "=same",
    "Files.delete Files.deleteIfExists": "0:fs.delete",
    "Socket": "0:host",
    "System.getenv": "@environment env.read >environment",
    "println": "@line",
    "print": "@print",
    ".decodeBase64": "=base64",
    "String": "=same",
    ".join": "=join",
    ".reverse": "=reverse",
}

GROOVY = Syntax(
    "groovy",
    comments=("//", "#!"),
    blocks={"/*": "*/"},
    regexes=r"/(?:\\/|[^/])++/",
    quotes={
        "$/": Quote("/$", ""),
        '"""': Quote('"""', fills=True),
        "'''": Quote("'''"),
        "'": Quote("'"),
        '"': Quote('"', fills=True),
    },
    members=(".", "?."),
    bare=True,
    lines=True,
    word=r"[A-Za-z_$][\w$]*",
    fills=r"\\.|(?P<code>\$\{)|\$(?P<name>\w+)",
    inputs=frozenset({"args"}),
    rows=_GROOVY,
)

_APPLESCRIPT = {
    "do_shell_script": "0:shell",
    "do_script write_text": "0:shell",
    "run_script": "0:code",
    "load_script": "0:code.run",
    "shut_down restart log_out": "machine.halt",
    "empty_trash delete": "fs.delete",
    "administrator_privileges": "privilege.raise",
    "hidden_answer": "secret.read +asked",
    "the_clipboard": "system.read",
    "keystroke key_code": "system.tune +typed",
    "display_dialog display_notification display_alert say": "@print",
}

APPLESCRIPT = Syntax(
    "applescript",
    comments=("--", "#"),
    blocks={"(*": "*)"},
    nests=True,
    quotes={'"': Quote('"')},
    members=(),
    joins=frozenset({"&"}),
    bare=True,
    lines=True,
    folds=True,
    definers=frozenset({"on"}),
    phrases=(
        "do shell script",
        "do script",
        "write text",
        "run script",
        "load script",
        "shut down",
        "log out",
        "empty trash",
        "administrator privileges",
        "hidden answer",
        "the clipboard",
        "key code",
        "display dialog",
        "display notification",
        "display alert",
    ),
    rows=_APPLESCRIPT,
)

_OCTAVE = {
    "system shell_cmd unix dos popen popen2": "0:shell",
    "eval evalc evalin": "0:code",
    "delete unlink": "0:fs.delete",
    "rmdir confirm_recursive_rmdir": "0:fs.delete +recursive +library",
    "rename movefile": "0:fs.move 1:fs.write",
    "copyfile": "0:fs.read 1:fs.write",
    "fopen": "@open",
    "urlread webread": "0:net.fetch",
    "urlwrite websave": "0:net.fetch 1:fs.write",
    "getenv": "env.read",
    "disp printf": "@line",
    "strcat": "=concat",
    "sprintf": "=format",
    "char": "=chr",
    "source run": "0:code.run",
}

OCTAVE = Syntax(
    "octave",
    comments=("%", "#"),
    unclear=r"[%#]\{",
    transposes=True,
    quotes={"'": Quote("'", "double"), '"': Quote('"')},
    joins=frozenset({"."}),
    bare=True,
    lines=True,
    rows=_OCTAVE,
)

_ERLANG = {
    "os.cmd": "0:shell",
    "open_port": "0:shell",
    "file.delete": "0:fs.delete",
    "file.del_dir_r": "0:fs.delete +recursive +library",
    "file.read_file": "0:fs.read",
    "file.write_file": "0:fs.write",
    "file.rename": "0:fs.move 1:fs.write",
    "os.getenv": "@environment env.read >environment",
    "gen_tcp.connect": "0:host",
    "httpc.request": "@request",
    "base64.decode base64.decode_to_string": "=base64",
    "lists.reverse": "=reverse",
    "io.format io.put_chars": "@print",
}

ERLANG = Syntax(
    "erlang",
    comments=("%",),
    quotes={"'": Quote("'"), '"': Quote('"')},
    characters=r"\$(?:\\.|\S)",
    members=(":",),
    joins=frozenset({"++"}),
    rows=_ERLANG,
)
