"""PowerShell: types and methods of .NET. Its commands are in the catalogue, like any other program."""

from interlock.analyse.scripts.syntax import Syntax

_ROWS = {
    ".downloadstring .downloaddata .openread .getstringasync .getasync .getbytearrayasync": "0:net.fetch",
    ".downloadfile": "0:net.fetch 1:fs.write",
    ".uploadstring .uploaddata .uploadfile .uploadvalues .postasync": "@request +sends",
    "webrequest.create httpwebrequest.create net.webrequest.create": "0:net.fetch",
    "net.sockets.tcpclient net.sockets.udpclient .connect": "@connect",
    "net.sockets.tcplistener": "net.listen",
    "net.dns.gethostentry net.dns.gethostaddresses": "",
    "convert.frombase64string": "=base64",
    "convert.tobase64string": "=to_base64",
    ".getstring .getbytes .tostring .trim .tochararray .readtoend": "=same",
    "io.memorystream io.streamreader uri": "=same",
    "io.compression.gzipstream": "=inflate",
    "io.compression.deflatestream": "=deflated",
    ".replace": "=replace",
    ".split": "=split",
    ".tolower": "=lower",
    ".toupper": "=upper",
    "string.join": "=join",
    "array.reverse": "",
    "io.file.delete": "0:fs.delete",
    "io.directory.delete": "0:fs.delete +recursive +library",
    "io.file.writealltext io.file.writeallbytes io.file.writealllines io.file.appendalltext": "0:fs.write",
    "io.file.readalltext io.file.readallbytes io.file.readalllines": "0:fs.read",
    "io.file.move io.directory.move": "0:fs.move 1:fs.write",
    "io.file.copy": "0:fs.read 1:fs.write",
    "diagnostics.process.start": "all:shell",
    "scriptblock.create": "=same",
    ".invokescript .invokecommand.invokescript": "0:code",
    "reflection.assembly.load reflection.assembly.loadfile reflection.assembly.loadfrom": "code.opaque +native",
    "environment.getenvironmentvariables": "env.read >environment",
    "environment.getenvironmentvariable": "env.read",
    "environment.exit": "",
}

POWERSHELL = Syntax("powershell", folds=True, rows=_ROWS, inputs=frozenset({"args", "input", "_"}))
