"""Lua."""

from interlock.analyse.scripts.syntax import Syntax

_ROWS = {
    "os.execute io.popen vim.fn.system vim.fn.systemlist": "0:shell",
    "load loadstring dostring": "0:code",
    "dofile loadfile": "0:code.run",
    "require": "@module",
    "os.remove": "0:fs.delete",
    "os.rename": "0:fs.move 1:fs.write",
    "io.open": "@open",
    "io.lines io.input": "0:fs.read",
    "io.output": "0:fs.write",
    "lfs.rmdir": "0:fs.delete +empty",
    "lfs.dir lfs.attributes": "0:fs.read +names",
    "os.getenv": "env.read",
    "io.read": ">input",
    "print": "@line",
    "io.write": "@print",
    "package.loadlib": "code.opaque +native",
    "socket.connect socket.tcp.connect .connect": "0:host",
    "socket.tcp": ">socket",
    "socket.bind .bind": "net.listen",
    "socket.http.request http.request ssl.https.request": "@request",
    "mime.unb64 ngx.decode_base64": "=base64",
    "string.char": "=chr",
    "string.reverse .reverse": "=reverse",
    "table.concat": "=join",
    "string.format": "=format",
    "string.lower": "=lower",
    "string.upper": "=upper",
    "string.rep": "=repeat",
    "tostring ipairs pairs unpack table.unpack": "=same",
    "pcall": "@send",
    ".format": "=format",
    ".rep": "=repeat",
    ".lower": "=lower",
    ".upper": "=upper",
}

LUA = Syntax(
    "lua",
    joins=frozenset({".."}),
    inputs=frozenset({"arg"}),
    rows=_ROWS,
)
