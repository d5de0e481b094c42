"""Programs of Windows that act on the machine."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec(
        "sc",
        sub={
            "query queryex qc qdescription qfailure qprivs enumdepend getdisplayname showsid sdshow": "service.read",
            "start create config description failure": "service.start*",
            "delete stop pause": "service.change*",
            "": "service.read",
            "*": "service.change*",
        },
    ),
    Spec(
        "net net1",
        sub={
            "view statistics config help file session share": "system.read",
            "start": "service.start*",
            "stop pause": "service.change*",
            "user accounts": Spec("net user", does="user.change", operands="-*", bare="system.read"),
            "localgroup group": Spec(
                "net localgroup", does="user.change", operands="user.grant -*", bare="system.read"
            ),
            "use": "fs.attach",
            "*": "system.read",
        },
    ),
    Spec(
        "Stop-Service Restart-Service Remove-Service Suspend-Service",
        operands="service.change*",
        options={"-Name": "=service.change", "-Force": ""},
    ),
    Spec("Start-Service Get-Service Resume-Service", operands="service.start*", options={"-Name": "=-"}),
    Spec(
        "taskkill tskill Stop-Process spps",
        does="process.signal",
        operands="-*",
        options={"-Name -Id": "=process.signal", "-Force": ""},
    ),
    Spec("tasklist Get-Process systeminfo driverquery ver qprocess quser qwinsta", does="system.read", operands="-*"),
    Spec("Restart-Computer Stop-Computer", does="machine.halt", operands="-*"),
    Spec("schtasks", does="schedule.change", operands="-*"),
    Spec("reg", sub={"query QUERY export EXPORT compare save SAVE": "system.read", "*": "system.change"}),
    Spec(
        "netsh",
        sub={
            "advfirewall firewall": Spec("netsh advfirewall", does="defence.disable", operands="-*"),
            "wlan interface show": "system.read",
            "*": "system.change",
        },
    ),
    Spec(
        "Set-MpPreference Add-MpPreference Disable-WindowsOptionalFeature Set-NetFirewallProfile Uninstall-WindowsFeature Set-ExecutionPolicy",
        does="defence.disable",
        operands="-*",
    ),
    Spec("cipher", does="disk.change", operands="-*"),
    Spec("icacls cacls takeown", does="system.change", operands="-*"),
    Spec("New-LocalUser", does="user.add", operands="-*", options={"-Name -Password -Description": "=-"}),
    Spec(
        "Add-LocalGroupMember",
        does="user.add",
        operands="user.grant -*",
        options={"-Group": "=user.grant", "-Member": "=-"},
    ),
    Spec("Remove-LocalUser Disable-LocalUser Set-LocalUser", does="user.change", operands="-*"),
)
