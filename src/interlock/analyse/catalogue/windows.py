"""Windows: the commands of `cmd.exe` and PowerShell. Names and options are in lower case, options with one dash.

`/s` is written `-s` here; an option may be cut short where it is used.
"""

from interlock.analyse.catalogue.spec import Spec

_COMMON = {"-whatif": "!system.read", "-confirm -verbose": "", "-erroraction -computername": "=-"}
_PATHS = {"-filter -include -exclude -encoding -credential": "=-", "-force": "+force", **_COMMON}
_WEB = {
    "-uri": "=net.fetch",
    "-outfile": "=fs.write +download",
    "-method -headers -useragent -contenttype -credential -timeoutsec -proxy -websession -sessionvariable": "=-",
    "-body -form": "=upload +send",
    "-infile": "=fs.read +send",
    "-usebasicparsing -skipcertificatecheck": "",
    **_COMMON,
}

SPECS = (
    # files
    Spec(
        "remove-item ri",
        operands="fs.delete*",
        options={"-path -literalpath": "=fs.delete", "-recurse": "+recursive", **_PATHS},
    ),
    Spec("del erase", operands="fs.delete*", options={"-s": "+recursive", "-f -q": "+force", "-p": "", "-a": "=-?"}),
    Spec("rd", operands="fs.delete*", options={"-s": "+recursive", "-q": "+force"}),
    Spec(
        "get-content gc",
        operands="fs.read*",
        options={"-path -literalpath": "=fs.read", "-tail -totalcount -delimiter": "=-", "-raw -wait": "", **_PATHS},
    ),
    Spec(
        "set-content add-content clear-content out-file tee-object",
        operands="fs.write -*",
        options={
            "-path -literalpath -filepath": "=fs.write",
            "-value -inputobject": "=-",
            "-append -nonewline": "",
            **_PATHS,
        },
    ),
    Spec(
        "new-item ni",
        operands="fs.write*",
        flags="new",
        options={"-path": "=fs.write", "-itemtype -value -name": "=-", **_PATHS},
    ),
    Spec(
        "copy-item cpi copy xcopy robocopy",
        operands="fs.read* fs.write",
        options={
            "-path": "=fs.read",
            "-destination": "=fs.write",
            "-recurse": "+recursive",
            "-mir -purge": "+delete",
            **_PATHS,
        },
    ),
    Spec(
        "move-item mi move rename-item rni ren",
        operands="fs.move* fs.write",
        options={"-path": "=fs.move", "-destination -newname": "=fs.write", **_PATHS},
    ),
    Spec(
        "get-childitem gci test-path resolve-path get-item gi get-acl select-string get-filehash",
        operands="fs.read*",
        flags="names",
        options={"-path -literalpath": "=fs.read", "-pattern -depth -name": "=-", "-recurse": "", **_PATHS},
    ),
    Spec(
        "set-acl icacls cacls",
        operands="fs.mode -*",
        options={"-path": "=fs.mode", "-t": "+recursive", "-grant -deny -remove -setowner -aclobject": "=-"},
    ),
    Spec("takeown", does="fs.owner", options={"-f": "=fs.owner", "-r": "+recursive", "-a": "", "-d": "=-"}),
    Spec("attrib", operands="fs.mode*"),
    Spec(
        "expand-archive compress-archive",
        operands="fs.read fs.write",
        options={"-path": "=fs.read", "-destinationpath": "=fs.write", "-force": ""},
    ),
    # disks, boot, recovery
    Spec(
        "clear-disk format-volume initialize-disk remove-partition clear-physicaldisk",
        does="disk.wipe",
        operands="-*",
        options={"-driveletter -number -filesystem -newfilesystemlabel -fs -v": "=-", "-whatif": "!system.read"},
    ),
    Spec("get-disk get-volume get-partition", does="system.read", operands="-*"),
    Spec("disable-computerrestore remove-computerrestorepoint", does="fs.delete", operands="-*", flags="backups"),
    Spec("bootrec bcdboot", does="kernel.change", operands="-*", options={"-enum -v": "!system.read"}),
    Spec("cipher", does="system.read", operands="-*", options={"-w": "=-? !disk.wipe"}),
    # the network
    Spec("invoke-webrequest iwr invoke-restmethod irm", operands="net.fetch*", options=_WEB),
    Spec(
        "start-bitstransfer",
        operands="net.fetch fs.write",
        options={"-source": "=net.fetch", "-destination": "=fs.write +download"},
    ),
    Spec("bitsadmin", does="net.fetch", operands="-*", flags="unusual", options={"-list -info -util": "!system.read"}),
    Spec("psexec psexec64 paexec", does="net.connect", operands="-*", flags="attack"),
    Spec("test-connection test-netconnection resolve-dnsname ipconfig nbtstat", does="system.read", operands="-*"),
    Spec("enter-pssession new-pssession", does="net.connect", operands="-*"),
    Spec("send-mailmessage", does="message.send", operands="-*", options={"-attachments": "=fs.read"}),
    # processes, services, people, schedules
    Spec("stop-process spps taskkill", does="process.signal", operands="-*", options={"-whatif": "!system.read"}),
    Spec(
        "get-process gps tasklist get-service get-eventlog get-winevent systeminfo get-computerinfo get-hotfix",
        does="system.read",
        operands="-*",
    ),
    Spec(
        "stop-computer restart-computer logoff", does="machine.halt", operands="-*", options={"-whatif": "!system.read"}
    ),
    Spec(
        "stop-service start-service restart-service set-service new-service remove-service suspend-service",
        does="service.change",
        operands="-*",
        options={"-whatif": "!system.read"},
    ),
    Spec(
        "sc",
        sub={
            "create config delete start stop pause continue failure sdset": "service.change",
            "*": "service.read",
            "": "service.read",
        },
    ),
    Spec(
        "schtasks",
        does="system.read",
        operands="-*",
        options={"-create -delete -change -run": "!schedule.change", "-tr": "=code:batch", "-query": "!system.read"},
    ),
    Spec(
        "register-scheduledtask set-scheduledtask unregister-scheduledtask new-scheduledtask",
        does="schedule.change",
        operands="-*",
    ),
    Spec(
        "new-localuser set-localuser remove-localuser add-localgroupmember remove-localgroupmember add-adgroupmember new-aduser set-adaccountpassword",
        does="user.change",
        operands="-*",
    ),
    # settings and defences
    Spec("regedit", does="system.read", operands="-*", flags="registry", options={"-s -d -c -i": "!system.change"}),
    Spec(
        "reg",
        sub={
            "query compare export save": "system.read",
            "*": Spec("reg", does="system.change", operands="-*", flags="registry"),
            "": "system.read",
        },
    ),
    Spec(
        "set-itemproperty sp new-itemproperty remove-itemproperty rp clear-itemproperty",
        does="system.change",
        operands="-*",
        flags="registry",
    ),
    Spec(
        "set-executionpolicy set-mppreference add-mppreference clear-eventlog remove-eventlog auditpol disable-windowsdefender set-netfirewallprofile uninstall-windowsfeature clear-history",
        does="defence.disable",
        operands="-*",
        options={"-get": "!system.read"},
    ),
    Spec("new-netfirewallrule remove-netfirewallrule set-netfirewallrule", does="system.change", operands="-*"),
    Spec("fsutil procdump procdump64 cmdkey", does="system.read", operands="-*"),
    Spec(
        "get-azaccesstoken get-azkeyvaultsecret get-credential get-storedcredential get-secret get-lapsadpassword get-admpwdpassword get-azstorageaccountkey",
        does="secret.read",
        operands="-*",
        flags="secret",
    ),
    Spec("setx", does="system.change", operands="-*"),
    # code from elsewhere
    Spec("mshta rundll32 regsvr32 cscript wscript installutil msiexec", operands="code.run*"),
    Spec("add-type", does="code.opaque", operands="-*", flags="native"),
    Spec("install-module install-package install-script", does="package.install", operands="-*"),
    Spec("uninstall-module uninstall-package remove-appxpackage", does="package.remove", operands="-*"),
    Spec("import-module ipmo", operands="-*", does="process.spawn"),
    # what only shows
    Spec(
        "write-host write-output write-verbose write-warning write-error write-information out-null out-string out-host format-table ft format-list fl "
        "select-object where-object foreach-object sort-object measure-object group-object convertto-json convertfrom-json convertto-csv "
        "get-date get-help get-command get-member get-location get-variable join-path split-path start-sleep get-random get-host read-host "
        "set-location push-location pop-location set-strictmode get-executionpolicy get-mppreference get-mpcomputerstatus get-alias get-module measure-command ver vol",
        does="out.print",
        operands="-*",
    ),
)
