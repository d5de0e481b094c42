"""Cmdlets for items: files, folders, archives, and whatever else has a path."""

from interlock.analyse.powershell.cmdlets.cmdlet import Cmdlet

_CHOSEN = {"Filter Include Exclude Credential Stream Encoding": "-"}
_FORCE = {"Force": "force"}

CMDLETS = (
    Cmdlet(
        "Remove-Item",
        order="Path",
        takes={"Path LiteralPath PSPath LP": "fs.delete", **_CHOSEN},
        switches={"Recurse R": "recursive", **_FORCE},
        piped="Path",
    ),
    Cmdlet(
        "Clear-Item", order="Path", takes={"Path LiteralPath": "fs.write", **_CHOSEN}, switches=_FORCE, piped="Path"
    ),
    Cmdlet(
        "Clear-Content",
        order="Path",
        takes={"Path LiteralPath PSPath": "fs.write", **_CHOSEN},
        switches=_FORCE,
        piped="Path",
        flags="truncate",
    ),
    Cmdlet(
        "Get-ChildItem",
        order="Path Filter",
        takes={"Path LiteralPath": "fs.read", "Filter Include Exclude Depth Attributes Attr": "-"},
        switches={"Recurse Force Name Directory File Hidden ReadOnly System FollowSymlink ad af s d": ""},
        piped="Path",
        gives="names",
        flags="names",
    ),
    Cmdlet(
        "Get-Item Test-Path Resolve-Path Get-Acl Get-FileHash Convert-Path Get-AuthenticodeSignature",
        order="Path",
        takes={
            "Path LiteralPath FilePath": "fs.read",
            "Filter Include Exclude PathType OlderThan NewerThan Algorithm Stream Credential RelativeBasePath": "-",
        },
        switches={"Force IsValid Relative Audit": ""},
        piped="Path",
        gives="names",
        flags="names",
    ),
    Cmdlet(
        "Get-ItemProperty Get-ItemPropertyValue",
        order="Path Name",
        takes={"Path LiteralPath": "fs.read", "Name Filter Include Exclude": "-"},
        piped="Path",
        flags="names",
    ),
    Cmdlet(
        "Set-ItemProperty New-ItemProperty Remove-ItemProperty "
        "Clear-ItemProperty Rename-ItemProperty Copy-ItemProperty "
        "Move-ItemProperty",
        order="Path Name Value",
        takes={
            "Path LiteralPath": "fs.attribute",
            "Name Value PropertyType Type NewName Destination InputObject Filter Include Exclude": "-",
        },
        switches=_FORCE,
        piped="Path",
    ),
    Cmdlet(
        "Set-Item", order="Path Value", takes={"Path LiteralPath": "fs.write", "Value": "-", **_CHOSEN}, switches=_FORCE
    ),
    Cmdlet("Invoke-Item", order="Path", takes={"Path LiteralPath": "code.run", **_CHOSEN}, piped="Path"),
    Cmdlet(
        "Copy-Item",
        order="Path Destination",
        takes={
            "Path LiteralPath": "fs.read",
            "Destination": "fs.write",
            "Filter Include Exclude Credential ToSession FromSession": "-",
        },
        switches={"Recurse": "recursive", "Force Container PassThru": ""},
        piped="Path",
    ),
    Cmdlet(
        "Move-Item Rename-Item",
        order="Path Destination",
        takes={"Path LiteralPath": "fs.move", "Destination NewName": "fs.write", **_CHOSEN},
        switches={"Force PassThru": ""},
        piped="Path",
    ),
    Cmdlet(
        "Compress-Archive",
        order="Path DestinationPath",
        takes={"Path LiteralPath": "fs.read", "DestinationPath": "fs.write", "CompressionLevel": "-"},
        switches={"Update Force PassThru": ""},
        piped="Path",
    ),
    Cmdlet(
        "Expand-Archive",
        order="Path DestinationPath",
        takes={"Path LiteralPath": "fs.read", "DestinationPath": "fs.write"},
        switches={"Force PassThru": ""},
        piped="Path",
    ),
    Cmdlet(
        "Set-Acl",
        order="Path AclObject",
        takes={"Path LiteralPath": "fs.mode", "AclObject SecurityDescriptor Filter Include Exclude": "-"},
        piped="Path",
    ),
    Cmdlet("Unblock-File", order="Path", takes={"Path LiteralPath": "fs.attribute"}, piped="Path"),
    Cmdlet("Set-AuthenticodeSignature", order="FilePath Certificate", takes={"FilePath": "fs.write"}, piped="FilePath"),
    Cmdlet(
        "Import-Csv Import-Clixml Import-PowerShellDataFile Get-Content",
        order="Path",
        takes={
            "Path LiteralPath PSPath": "fs.read",
            "Tail TotalCount First Head Last ReadCount Delimiter Header Skip": "-",
            **_CHOSEN,
        },
        switches={"Raw Wait Force AsByteStream UseCulture": ""},
        piped="Path",
    ),
    Cmdlet(
        "Export-Csv Export-Clixml",
        order="Path",
        takes={"Path LiteralPath": "fs.write", "InputObject Delimiter Encoding Depth QuoteFields UseQuotes": "-"},
        switches={"NoTypeInformation NoClobber Append Force IncludeTypeInformation NoHeader UseCulture": ""},
    ),
    Cmdlet(
        "Select-String",
        order="Pattern Path",
        takes={
            "Path LiteralPath": "fs.read",
            "Context Include Exclude Encoding InputObject Culture": "-",
            "Pattern": "pattern",
        },
        switches={"SimpleMatch CaseSensitive Quiet List NotMatch AllMatches Raw NoEmphasis": ""},
        piped="InputObject",
        gives="input",
    ),
    Cmdlet("Format-Hex", order="Path", takes={"Path LiteralPath": "fs.read", "Count Offset InputObject": "-"}),
    Cmdlet(
        "New-PSDrive",
        does="fs.attach",
        order="Name PSProvider Root",
        takes={"Name Root": "name"},
        switches={"Persist": ""},
    ),
    Cmdlet("Remove-PSDrive", does="fs.attach", order="Name", takes={"Name": "name"}, switches={"Force": ""}),
    Cmdlet("Get-PSDrive Get-PSProvider", does="system.read", order="Name"),
    Cmdlet("New-TemporaryFile", does="fs.write", flags="new"),
    Cmdlet(
        "New-FileCatalog Export-Alias Export-Counter Export-FormatData",
        order="Path",
        takes={"Path CatalogFilePath": "fs.write"},
    ),
    Cmdlet("Clear-RecycleBin", does="fs.delete", order="DriveLetter", flags="trash", switches={"Force": "force"}),
)
