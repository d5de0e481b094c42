"""Types and methods of .NET and of COM objects: what a call does, in the rows of `scripts/rows.py`.

A name that begins with a dot is a method of any object. Names are in lower case, without `System.`.
"""

from __future__ import annotations

_FILES = {
    "io.file.delete": "0:fs.delete",
    "io.directory.delete": "0:fs.delete +recursive +library",
    "io.file.writealltext io.file.writeallbytes io.file.writealllines io.file.writealltextasync": "0:fs.write",
    "io.file.create io.file.createtext io.file.openwrite io.streamwriter io.binarywriter": "0:fs.write",
    "io.file.appendalltext io.file.appendalllines io.file.appendtext": "0:fs.write +append",
    "io.file.readalltext io.file.readallbytes io.file.readalllines io.file.readlines": "0:fs.read",
    "io.file.opentext io.file.openread": "0:fs.read",
    "io.file.open io.filestream": "0:fs.read",
    "io.file.move io.directory.move": "0:fs.move 1:fs.write",
    "io.file.copy": "0:fs.read 1:fs.write",
    "io.file.replace": "0:fs.move 1:fs.write",
    "io.file.setattributes io.file.setaccesscontrol io.directory.setaccesscontrol": "0:fs.mode",
    "io.file.encrypt": "0:fs.write",
    "io.directory.createdirectory": "0:fs.write +new",
    "io.directory.getfiles io.directory.enumeratefiles io.directory.getdirectories": "0:fs.read +names",
    "io.directory.getfilesystementries io.directory.enumeratefilesystementries": "0:fs.read +names",
    "io.file.exists io.directory.exists io.path.exists": "",
    "io.file.getlastwritetime io.file.getattributes": "",
    "io.compression.zipfile.extracttodirectory": "0:fs.read 1:fs.write",
    "io.compression.zipfile.createfromdirectory": "0:fs.read 1:fs.write",
    "io.compression.zipfile.openread io.compression.zipfile.open": "0:fs.read",
    "microsoft.visualbasic.fileio.filesystem.deletefile": "0:fs.delete",
    "microsoft.visualbasic.fileio.filesystem.deletedirectory": "0:fs.delete +recursive +library",
    ".delete": "self:fs.delete",
    ".moveto": "self:fs.move 0:fs.write",
    ".copyto": "self:fs.read 0:fs.write",
    ".savetofile": "0:fs.write",
    ".encrypt": "self:fs.write",
}
_NETWORK = {
    ".downloadstring .downloaddata .openread .getstringasync .getasync .getbytearrayasync": "0:net.fetch",
    ".downloadstringasync .downloaddataasync .downloadstringtaskasync .getstreamasync": "0:net.fetch",
    ".downloadfile .downloadfileasync .downloadfiletaskasync": "0:net.fetch +download",
    ".uploadstring .uploaddata .uploadvalues .postasync .putasync .sendasync .patchasync": "0:net.send",
    ".uploadstringasync .uploaddataasync": "0:net.send",
    ".uploadfile .uploadfileasync": "0:net.send *:fs.read",
    "net.webrequest.create net.httpwebrequest.create net.webrequest.createhttp": "0:net.fetch",
    "net.sockets.tcpclient net.sockets.udpclient .connect": "0:host",
    "net.sockets.tcplistener net.httplistener .bind": "net.listen",
    "net.mail.smtpclient.send net.mail.smtpclient.sendmailasync": "message.send",
    "net.dns.gethostentry net.dns.gethostaddresses net.dns.resolve": "net.connect +dns",
    "net.networkinformation.ping.send": "",
}
_TEXTS = {
    "convert.frombase64string": "=base64",
    "convert.tobase64string": "=to_base64",
    "convert.fromhexstring": "=hex",
    ".getstring .getbytes .tostring .trim .tochararray .readtoend .toarray": "=same",
    ".getawaiter .getresult .result .getresponse .getresponsestream .getstream": "=same",
    "io.memorystream io.streamreader uri io.stringreader io.fileinfo io.directoryinfo version": "=same",
    "io.path.getfullpath io.path.getfilename io.path.changeextension": "=same",
    "io.compression.gzipstream": "=inflate",
    "io.compression.deflatestream": "=deflated",
    "string.concat": "=concat",
    "string.join": "=join",
    "io.path.combine io.path.join": "=path",
    "net.webutility.urldecode uri.unescapedatastring web.httputility.urldecode": "=url",
    "regex.unescape net.webutility.htmldecode text.regularexpressions.regex.unescape": "=same",
    ".createdecryptor .transformfinalblock .unprotect security.cryptography.protecteddata.unprotect": ">decoded",
    ".getnetworkcredential .ptrtostringauto .ptrtostringbstr": ">secret",
    "runtime.interopservices.marshal.ptrtostringauto runtime.interopservices.marshal.ptrtostringbstr": ">secret",
    "runtime.interopservices.marshal.securestringtobstr": ">secret",
    "environment.getenvironmentvariables": "env.read >environment",
    "environment.exit environment.failfast array.reverse": "",
}
_PROGRAMS = {
    "diagnostics.process.start": "all:shell",
    "diagnostics.process.getprocesses diagnostics.process.getprocessesbyname diagnostics.process.getcurrentprocess": "",
    ".kill .closemainwindow .terminate": "process.signal",
    "diagnostics.eventlog.delete diagnostics.eventlog.clear .clear_log": "trace.erase",
    ".clearlog .cleareventlog": "trace.erase",
    ".win32shutdown .reboot .win32shutdowntracker": "machine.halt",
    ".stopservice .startservice .pauseservice .changestartmode .change": "service.change",
    "windows.forms.application.setsuspendstate": "machine.halt",
    ".invokescript .addscript .newscriptblock .invokecommand.invokescript": "0:code",
    ".addcommand": "0:code",
    "reflection.assembly.load reflection.assembly.loadfile reflection.assembly.unsafeloadfrom": "code.opaque +native",
    "reflection.assembly.loadfrom appdomain.currentdomain.load .defineDynamicassembly": "code.opaque +native",
    ".definepinvokemethod .definedynamicassembly .compileassemblyfromsource": "code.opaque +native",
    "runtime.interopservices.marshal.getdelegateforfunctionpointer": "code.opaque +native",
    "runtime.interopservices.marshal.copy": "code.opaque +native",
    "reflection.assembly.loadwithpartialname reflection.assembly.getexecutingassembly": "",
    "microsoft.win32.registry.setvalue microsoft.win32.registry.deletevalue": "system.change +registry",
    "microsoft.win32.registry.getvalue": "system.read",
    ".deletesubkey .deletesubkeytree .createsubkey .deletevalue": "system.change +registry",
    "net.servicepointmanager.servercertificatevalidationcallback": "defence.disable +certificates",
}
_COM = {
    "com.wscript.shell.run com.wscript.shell.exec": "0:shell",
    "com.wscript.shell.regwrite com.wscript.shell.regdelete": "system.change +registry",
    "com.wscript.shell.regread": "system.read",
    "com.shell.application.shellexecute com.mmc20.application.executeshellcommand": "all:shell",
    "com.shell.application.shutdownwindows": "machine.halt",
    "com.scripting.filesystemobject.deletefile": "0:fs.delete",
    "com.scripting.filesystemobject.deletefolder": "0:fs.delete +recursive +library",
    "com.scripting.filesystemobject.createtextfile com.scripting.filesystemobject.createfolder": "0:fs.write",
    "com.scripting.filesystemobject.copyfile com.scripting.filesystemobject.copyfolder": "0:fs.read 1:fs.write",
    "com.scripting.filesystemobject.movefile com.scripting.filesystemobject.movefolder": "0:fs.move 1:fs.write",
    "com.scripting.filesystemobject.opentextfile": "0:fs.read",
    "com.msxml2.xmlhttp.open com.msxml2.serverxmlhttp.open com.microsoft.xmlhttp.open": "1:net.fetch",
    "com.winhttp.winhttprequest.5.1.open com.msxml2.xmlhttp.6.0.open": "1:net.fetch",
    "com.internetexplorer.application.navigate com.internetexplorer.application.navigate2": "0:net.fetch",
    "com.schedule.service.registertaskdefinition .registertaskdefinition .registertask": "schedule.change",
    "com.outlook.application.createitem": "message.send",
}

METHODS: dict[str, str] = {
    name.lower(): row
    for table in (_FILES, _NETWORK, _TEXTS, _PROGRAMS, _COM)
    for names, row in table.items()
    for name in names.split()
}
