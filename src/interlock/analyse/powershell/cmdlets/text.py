"""Cmdlets that compute and show: they change nothing."""

from interlock.analyse.powershell.cmdlets.cmdlet import Cmdlet

CMDLETS = (
    Cmdlet("Invoke-Pester Invoke-ScriptAnalyzer Invoke-Build Invoke-psake", does="process.spawn", order="Path"),
    Cmdlet(
        "Write-Host Write-Verbose Write-Warning Write-Error Write-Information Write-Debug Write-Progress",
        does="out.print",
        order="Object",
        takes={"Object Message ForegroundColor BackgroundColor Separator Activity Status Category ErrorId": "-"},
        switches={"NoNewline Completed": ""},
    ),
    Cmdlet(
        "Out-Null Out-Host Out-Default Out-GridView Format-Table Format-List Format-Wide Format-Custom Show-Command",
        does="out.print",
        order="Property",
        takes={"Property GroupBy InputObject": "-"},
        switches={"AutoSize Wrap HideTableHeaders Force": ""},
    ),
    Cmdlet(
        "Out-String Select-Object Sort-Object Get-Unique Group-Object ConvertTo-Csv ConvertTo-Html ConvertTo-Xml "
        "ConvertFrom-Csv ConvertFrom-StringData ConvertFrom-Markdown Select-Xml Add-Member Format-Xml",
        does="out.print",
        order="Property",
        takes={
            "Property ExpandProperty ExcludeProperty First Last Skip Index Delimiter Depth InputObject Width Path": "-"
        },
        switches={"Unique Descending AsArray NoTypeInformation Wait CaseSensitive NoElement AsHashTable Stream": ""},
        piped="InputObject",
        gives="input",
    ),
    Cmdlet(
        "ConvertTo-Json ConvertFrom-Json ConvertFrom-SddlString Test-Json",
        does="out.print",
        order="InputObject",
        takes={"InputObject Depth": "-"},
        switches={"Compress AsHashtable AsArray EnumsAsStrings NoEnumerate": ""},
        piped="InputObject",
        gives="input",
    ),
    Cmdlet("Measure-Object Compare-Object", does="out.print", order="Property"),
    Cmdlet("Join-String", does="out.print", order="Property Separator", piped="InputObject", gives="input"),
    Cmdlet(
        "Get-Date Get-Help Get-Command Get-Member "
        "Get-Location Get-Random Get-SecureRandom Get-Host Get-ExecutionPolicy "
        "Get-Alias Get-Module Get-Verb Get-Culture Get-UICulture Get-TimeZone Get-Uptime Get-Error Get-TypeData "
        "Get-FormatData Get-PSCallStack Get-PSBreakpoint Get-TraceSource Get-Job Get-Runspace Get-PSHostProcessInfo "
        "Get-ExperimentalFeature Get-PSReadLineOption Get-PSReadLineKeyHandler "
        "New-TimeSpan New-Guid Get-InstalledModule "
        "Find-Module Find-Package Find-Script Get-PackageProvider Get-PackageSource Get-PSRepository Get-Package "
        "Get-InstalledScript Test-ModuleManifest Test-ScriptFileInfo Get-Event Get-EventSubscriber Get-Transaction "
        "Split-Path Set-StrictMode Start-Sleep Clear-Host Read-Host Update-Help Save-Help Update-TypeData "
        "Update-FormatData Set-PSDebug Trace-Command Wait-Event "
        "New-Event Show-Markdown Get-MarkdownOption Wait-Debugger "
        "Debug-Runspace Receive-Job Wait-Job Wait-Process Stop-Job Remove-Job "
        "Start-Transcript Stop-Transcript Pop-Location Set-PSBreakpoint "
        "Remove-PSBreakpoint Enable-PSBreakpoint Disable-PSBreakpoint Set-PSReadLineOption Set-PSReadLineKeyHandler "
        "Set-TraceSource Export-ModuleMember Unregister-Event Remove-Event Remove-TypeData Remove-Alias "
        "Remove-Variable Clear-Variable Remove-Module",
        does="out.print",
        order="Name",
    ),
    Cmdlet(
        "Get-Variable",
        does="out.print",
        order="Name",
        takes={"Name": "-"},
        switches={"ValueOnly": ""},
    ),
    Cmdlet("Get-Clipboard", does="system.read", gives="secret", switches={"Raw": ""}, flags="clipboard"),
    Cmdlet("Set-Clipboard Clear-Clipboard", does="system.tune", order="Value", flags="clipboard"),
    Cmdlet("Get-History", does="fs.read", gives="history", flags="history"),
    Cmdlet("Clear-History", does="defence.disable", order="Id"),
)
