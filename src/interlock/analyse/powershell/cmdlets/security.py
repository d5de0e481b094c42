"""Cmdlets for defences, traces, credentials and policies."""

from interlock.analyse.powershell.cmdlets.cmdlet import Cmdlet

CMDLETS = (
    Cmdlet(
        "Set-MpPreference Add-MpPreference Disable-WindowsDefender Set-NetFirewallProfile Remove-MpThreat "
        "Set-ProcessMitigation Set-MpComputerStatus Set-NetFirewallSetting Disable-TlsCipherSuite "
        "Set-SecureBootUEFI Disable-AppBackgroundTaskDiagnosticLog Set-AppLockerPolicy Set-RuleOption",
        does="defence.disable",
        order="Name",
        takes={"Name Profile ExclusionPath ExclusionProcess ExclusionExtension": "name"},
    ),
    Cmdlet("Remove-MpPreference Update-MpSignature Start-MpScan Start-MpWDOScan", does="system.tune"),
    Cmdlet(
        "Set-ExecutionPolicy",
        does="defence.disable",
        order="ExecutionPolicy Scope",
        takes={"ExecutionPolicy": "name", "Scope": "-"},
        switches={"Force": ""},
    ),
    Cmdlet(
        "Get-MpPreference Get-MpComputerStatus Get-MpThreat Get-MpThreatDetection Get-MpThreatCatalog "
        "Get-AppLockerPolicy Get-TlsCipherSuite Get-SecureBootUEFI Get-SecureBootPolicy Get-CIPolicy",
        does="system.read",
        order="Name",
    ),
    Cmdlet(
        "Clear-EventLog Remove-EventLog Limit-EventLog Clear-WinEvent",
        does="defence.disable",
        order="LogName",
        takes={"LogName Source": "name"},
        piped="LogName",
    ),
    Cmdlet("Write-EventLog New-EventLog New-WinEvent", does="system.tune", order="LogName Source EventId"),
    Cmdlet(
        "Get-AzAccessToken Get-AzKeyVaultSecret Get-Credential Get-StoredCredential Get-Secret Get-LapsADPassword "
        "Get-AdmPwdPassword Get-AzStorageAccountKey Get-SecretInfo Get-VaultCredential Export-PfxCertificate",
        does="secret.read",
        order="Name",
        takes={"Name VaultName UserName Credential Message": "name", "FilePath Password Cert": "-"},
        gives="secret",
        flags="secret",
    ),
    Cmdlet("ConvertTo-SecureString", does="out.print", order="String", takes={"String Key": "-"}, gives="input"),
    Cmdlet("ConvertFrom-SecureString", does="out.print", order="SecureString", gives="secret", piped="SecureString"),
    Cmdlet("Protect-CmsMessage Unprotect-CmsMessage Get-CmsMessage", does="out.print", order="To Content"),
    Cmdlet("Set-Secret Remove-Secret Register-SecretVault Unregister-SecretVault", does="system.change", order="Name"),
    Cmdlet(
        "Import-Certificate Import-PfxCertificate",
        does="defence.disable",
        order="FilePath CertStoreLocation",
        takes={"FilePath": "name", "CertStoreLocation Password": "-"},
        flags="certificates",
    ),
    Cmdlet("New-SelfSignedCertificate", does="system.tune", order="DnsName"),
    Cmdlet(
        "Export-Certificate Get-PfxCertificate Get-Certificate Test-Certificate", does="system.read", order="FilePath"
    ),
    Cmdlet("Get-ADReplAccount Invoke-Mimikatz Invoke-Kerberoast Invoke-BloodHound", does="process.run", flags="attack"),
)
