"""Cmdlets for the machine: processes, services, schedules, people, settings, disks, features, packages."""

from interlock.analyse.powershell.cmdlets.cmdlet import Cmdlet

_NAMED = {"Name Id InputObject DisplayName ServiceName ProcessName": "name"}

_PROCESSES = (
    Cmdlet(
        "Stop-Process",
        does="process.signal",
        order="Id",
        takes=_NAMED,
        switches={"Force PassThru": ""},
        piped="InputObject",
    ),
    Cmdlet("Debug-Process", does="process.attach", order="Name", takes=_NAMED),
    Cmdlet(
        "Get-Process Get-Service Get-EventLog Get-WinEvent Get-ComputerInfo Get-HotFix Get-Counter Get-CimInstance "
        "Get-WmiObject Get-CimClass Get-CimAssociatedInstance Get-CimSession Get-ScheduledTask Get-ScheduledTaskInfo "
        "Get-ScheduledJob Get-LocalUser Get-LocalGroup "
        "Get-LocalGroupMember Get-ComputerRestorePoint Get-WindowsFeature "
        "Get-WindowsOptionalFeature Get-WindowsCapability Get-WindowsPackage Get-WindowsDriver Get-WindowsImage "
        "Get-WindowsEdition Get-AppxPackage Get-AppxProvisionedPackage Get-PnpDevice Get-PnpDeviceProperty Get-Printer "
        "Get-PrintJob Get-WindowsUpdateLog Get-WindowsReliabilityRecord Get-Tpm Get-ControlPanelItem Get-StartApps "
        "Get-WULastInstallationDate Get-WUSettings Get-WindowsUpdate Get-ProcessMitigation Confirm-SecureBootUEFI "
        "Get-EventSource Get-ADUser Get-ADGroup Get-ADComputer Get-ADDomain "
        "Get-ADGroupMember Test-ComputerSecureChannel "
        "Get-InstalledLanguage Get-WinSystemLocale Get-WinUserLanguageList "
        "Get-VM Get-VMSwitch Get-VMHost Get-VMSnapshot",
        does="system.read",
        order="Name",
        takes={
            **_NAMED,
            "ClassName Class Query Filter Namespace LogName": "-",
            "ListLog FilterHashtable MaxEvents Newest Source Property": "-",
            "ComputerName Credential After Before EntryType InstanceId Online Module": "-",
        },
        gives="names",
    ),
    Cmdlet("Stop-Computer Restart-Computer", does="machine.halt", order="ComputerName", takes={"ComputerName": "name"}),
    Cmdlet(
        "Rename-Computer Add-Computer Remove-Computer Reset-ComputerMachinePassword",
        does="system.change",
        order="NewName",
    ),
    Cmdlet("Checkpoint-Computer Enable-ComputerRestore", does="system.tune", order="Description"),
    Cmdlet("Restore-Computer", does="system.change", order="RestorePoint"),
    Cmdlet("Disable-ComputerRestore Remove-ComputerRestorePoint", does="fs.delete", flags="backups", order="Drive"),
    Cmdlet(
        "Set-TimeZone Set-Date Set-Culture Set-WinSystemLocale Set-WinUserLanguageList",
        does="system.change",
        order="Name",
    ),
)
_SERVICES = (
    Cmdlet(
        "Stop-Service Start-Service Restart-Service Set-Service "
        "New-Service Remove-Service Suspend-Service Resume-Service",
        does="service.change",
        order="Name BinaryPathName",
        takes={**_NAMED, "BinaryPathName": "command", "StartupType Status Credential Description": "-"},
        piped="InputObject",
    ),
    Cmdlet(
        "Register-ScheduledTask Set-ScheduledTask Unregister-ScheduledTask New-ScheduledTask Start-ScheduledTask "
        "Enable-ScheduledTask Disable-ScheduledTask Stop-ScheduledTask Register-ScheduledJob Unregister-ScheduledJob "
        "Set-ScheduledJob Register-ClusteredScheduledTask",
        does="schedule.change",
        order="TaskName TaskPath",
        takes={"TaskName Name": "name", "ScriptBlock": "code", "Action Trigger Principal Settings User Password": "-"},
        switches={"Force": ""},
        piped="TaskName",
    ),
    Cmdlet(
        "New-ScheduledTaskTrigger New-ScheduledTaskPrincipal New-ScheduledTaskSettingsSet New-JobTrigger "
        "Export-ScheduledTask New-ScheduledJobOption",
        does="out.print",
    ),
    Cmdlet(
        "Add-JobTrigger Set-JobTrigger Remove-JobTrigger Enable-JobTrigger", does="schedule.change", order="Trigger"
    ),
)
_PEOPLE = (
    Cmdlet(
        "New-LocalUser Set-LocalUser Remove-LocalUser Enable-LocalUser Disable-LocalUser Rename-LocalUser "
        "Remove-LocalGroupMember New-LocalGroup Remove-LocalGroup "
        "Set-LocalGroup Rename-LocalGroup Add-LocalGroupMember "
        "New-ADUser Set-ADUser Remove-ADUser Set-ADAccountPassword Add-ADGroupMember Remove-ADGroupMember "
        "Disable-ADAccount Enable-ADAccount Unlock-ADAccount Remove-ADGroup Remove-ADObject Remove-ADComputer "
        "Remove-ADOrganizationalUnit Set-ADObject",
        does="user.change",
        order="Name Member",
        takes={"Name Group Identity": "name", "Member Members Password Description": "-"},
        piped="Name",
    ),
)
_DISKS = (
    Cmdlet(
        "Clear-Disk Format-Volume Initialize-Disk Remove-Partition Clear-PhysicalDisk Reset-PhysicalDisk "
        "Remove-VirtualDisk Remove-StoragePool Clear-FileStorageTier",
        does="disk.wipe",
        order="DriveLetter",
        takes={
            "DriveLetter Number DiskNumber FriendlyName Path DiskId UniqueId": "name",
            "FileSystem NewFileSystemLabel AllocationUnitSize PartitionStyle InputObject": "-",
        },
        switches={"Full Force Compress RemoveData RemoveOEM": ""},
        piped="InputObject",
    ),
    Cmdlet(
        "New-Partition Resize-Partition Set-Disk Set-Partition Set-Volume Optimize-Volume Repair-Volume New-Volume "
        "New-StoragePool New-VirtualDisk Mount-DiskImage Dismount-DiskImage Update-Disk Set-PhysicalDisk "
        "Add-PartitionAccessPath Remove-PartitionAccessPath Resize-VirtualDisk",
        does="disk.change",
        order="DriveLetter",
        takes={"DriveLetter DiskNumber Number FriendlyName ImagePath": "name"},
    ),
    Cmdlet(
        "Get-Disk Get-Volume Get-Partition Get-PhysicalDisk Get-StoragePool Get-VirtualDisk Get-DiskImage "
        "Get-StorageReliabilityCounter Get-FileIntegrity Get-SmbShare Get-SmbConnection Get-SmbSession Get-SmbMapping "
        "Get-SmbOpenFile Get-SmbServerConfiguration Get-SmbShareAccess Get-BitLockerVolume Get-StorageJob",
        does="system.read",
        order="Name",
        takes={"Name DriveLetter Number": "name"},
        gives="names",
    ),
    Cmdlet(
        "Disable-BitLocker Suspend-BitLocker Unlock-BitLocker Remove-BitLockerKeyProtector Clear-BitLockerAutoUnlock "
        "Disable-BitLockerAutoUnlock",
        does="defence.disable",
        order="MountPoint",
        takes={"MountPoint": "name"},
    ),
    Cmdlet(
        "Enable-BitLocker Lock-BitLocker Resume-BitLocker Add-BitLockerKeyProtector Backup-BitLockerKeyProtector "
        "Enable-BitLockerAutoUnlock Initialize-Tpm Clear-Tpm",
        does="disk.change",
        order="MountPoint",
        takes={"MountPoint": "name"},
    ),
)
_PACKAGES = (
    Cmdlet(
        "Install-Module Install-Package Install-Script Install-PackageProvider Install-PSResource Add-AppxPackage "
        "Add-AppxProvisionedPackage Install-WindowsFeature Add-WindowsFeature Add-WindowsCapability Add-WindowsPackage "
        "Update-Module Update-Script Update-PSResource Save-Module Save-Package Save-Script Install-Language "
        "Install-WindowsUpdate Install-Dependency",
        does="package.install",
        order="Name",
        takes={"Name Path PackagePath": "name", "Scope Repository RequiredVersion MinimumVersion Version Source": "-"},
        switches={
            "Force AllowClobber AllowPrerelease SkipPublisherCheck AcceptLicense TrustRepository Online": "",
        },
    ),
    Cmdlet(
        "Uninstall-Module Uninstall-Package Uninstall-Script Uninstall-PSResource Remove-AppxPackage "
        "Remove-AppxProvisionedPackage Remove-WindowsCapability Remove-WindowsPackage Uninstall-Language",
        does="package.remove",
        order="Name",
        takes={"Name Package PackageName": "name"},
        piped="Name",
    ),
    Cmdlet(
        "Publish-Module Publish-Script Publish-PSResource",
        does="package.publish",
        order="Name",
        takes={"Name Path": "name"},
    ),
    Cmdlet(
        "Register-PSRepository Set-PSRepository Unregister-PSRepository Register-PackageSource Set-PackageSource "
        "Register-PSResourceRepository",
        does="system.change",
        order="Name SourceLocation",
        takes={"Name SourceLocation Location": "name"},
        flags="package_source",
    ),
    Cmdlet(
        "Enable-WindowsOptionalFeature Add-WindowsDriver Mount-WindowsImage Save-WindowsImage "
        "New-WindowsImage Expand-WindowsImage Apply-WindowsUnattend Repair-WindowsImage Set-WindowsEdition",
        does="system.change",
        order="FeatureName",
        takes={"FeatureName Path ImagePath": "name"},
        switches={"Online All NoRestart": ""},
    ),
    Cmdlet(
        "Disable-WindowsOptionalFeature Uninstall-WindowsFeature Remove-WindowsFeature Remove-WindowsDriver "
        "Remove-WindowsImage Dismount-WindowsImage",
        does="defence.disable",
        order="FeatureName",
        takes={"FeatureName Name": "name"},
        switches={"Online Remove NoRestart": ""},
    ),
)
_OTHERS = (
    Cmdlet(
        "Invoke-CimMethod Invoke-WmiMethod",
        does="system.change",
        order="ClassName MethodName",
        takes={
            "ClassName Class Path": "name",
            "MethodName Name Arguments ArgumentList Property Query InputObject": "-",
        },
        piped="InputObject",
    ),
    Cmdlet(
        "Set-CimInstance New-CimInstance Remove-CimInstance Set-WmiInstance Remove-WmiObject ",
        does="system.change",
        order="ClassName",
        takes={"ClassName Class Query Path": "name", "Property Arguments InputObject Namespace": "-"},
        piped="InputObject",
    ),
    Cmdlet(
        "Register-WmiEvent Register-CimIndicationEvent Register-ObjectEvent Register-EngineEvent "
        "Register-ArgumentCompleter Register-TemporaryAssignment",
        does="out.print",
        order="InputObject EventName",
        takes={"Action ScriptBlock": "code", "Query SourceIdentifier": "-"},
    ),
    Cmdlet(
        "Add-Printer Remove-Printer Set-Printer Add-PrinterDriver Remove-PrintJob", does="system.change", order="Name"
    ),
    Cmdlet("Out-Printer", does="out.print", order="Name"),
    Cmdlet("Enable-PnpDevice Disable-PnpDevice", does="system.change", order="InstanceId"),
    Cmdlet("Set-PowerPlan Set-DisplayResolution", does="system.tune", order="Name"),
    Cmdlet(
        "Remove-VM Remove-VMSnapshot Remove-VMCheckpoint Remove-VMSwitch Remove-VHD",
        does="infra.destroy",
        order="Name",
        takes={"Name VMName": "name"},
        piped="Name",
    ),
    Cmdlet(
        "Start-VM Stop-VM Restart-VM New-VM Set-VM "
        "Checkpoint-VM Restore-VMSnapshot Save-VM Suspend-VM New-VHD Mount-VHD",
        does="infra.change",
        order="Name",
        takes={"Name VMName": "name"},
        piped="Name",
    ),
)

CMDLETS = (*_PROCESSES, *_SERVICES, *_PEOPLE, *_DISKS, *_PACKAGES, *_OTHERS)
