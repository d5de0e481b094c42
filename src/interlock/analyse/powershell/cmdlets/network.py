"""Cmdlets for the network: adapters, addresses, shares, transfers, mail and remote sessions."""

from interlock.analyse.powershell.cmdlets.cmdlet import Cmdlet

CMDLETS = (
    Cmdlet(
        "Start-BitsTransfer Add-BitsFile",
        order="Source Destination",
        takes={"Source": "net.fetch", "Destination": "fs.write", "TransferType Priority Credential DisplayName": "-"},
        switches={"Asynchronous": ""},
        gives="download",
        flags="download",
    ),
    Cmdlet("Get-BitsTransfer Resume-BitsTransfer Complete-BitsTransfer Suspend-BitsTransfer", does="system.read"),
    Cmdlet("Remove-BitsTransfer Set-BitsTransfer", does="out.print"),
    Cmdlet(
        "Test-Connection Test-NetConnection Resolve-DnsName Get-NetIPAddress Get-NetIPConfiguration Get-NetAdapter "
        "Get-NetRoute Get-NetNeighbor Get-NetTCPConnection Get-NetUDPEndpoint Get-NetIPInterface Get-DnsClient "
        "Get-DnsClientCache Get-DnsClientServerAddress Get-NetConnectionProfile Get-NetFirewallRule "
        "Get-NetFirewallProfile Get-NetFirewallPortFilter Get-NetFirewallSetting Get-NetAdapterStatistics "
        "Get-NetOffloadGlobalSetting Get-NetTransportFilter Get-NetNat Get-NetTCPSetting Get-VpnConnection "
        "Find-NetRoute Get-NetFirewallApplicationFilter Get-NetFirewallAddressFilter Test-WSMan Get-PSSession "
        "Get-WSManInstance Get-PSSessionConfiguration",
        does="system.read",
        order="ComputerName",
        takes={
            "ComputerName TargetName Name RemoteAddress LocalPort LocalAddress State Port Count Type Server": "-",
            "AddressFamily DisplayName InterfaceAlias OwningProcess Id InformationLevel TimeoutSeconds": "-",
        },
        switches={"Quiet TraceRoute Detailed": ""},
        gives="names",
    ),
    Cmdlet(
        "New-NetFirewallRule Remove-NetFirewallRule Set-NetFirewallRule Disable-NetFirewallRule Enable-NetFirewallRule "
        "Copy-NetFirewallRule Rename-NetFirewallRule Set-NetFirewallPortFilter New-NetIPsecRule Remove-NetIPsecRule",
        does="system.change",
        order="DisplayName",
        takes={"DisplayName Name": "name"},
        piped="DisplayName",
    ),
    Cmdlet(
        "New-NetIPAddress Remove-NetIPAddress Set-NetIPAddress New-NetRoute Remove-NetRoute Set-NetRoute "
        "Set-DnsClientServerAddress Set-DnsClient Set-NetIPInterface Set-NetConnectionProfile Set-NetAdapter "
        "Enable-NetAdapter Disable-NetAdapter Restart-NetAdapter Rename-NetAdapter New-NetNat Remove-NetNat "
        "Set-NetTCPSetting Add-DnsClientNrptRule Remove-DnsClientNrptRule Add-VpnConnection Remove-VpnConnection "
        "Set-VpnConnection Set-NetNeighbor New-NetNeighbor Remove-NetNeighbor Add-NetNatStaticMapping",
        does="system.change",
        order="InterfaceAlias",
        takes={"InterfaceAlias Name DestinationPrefix IPAddress ServerAddresses": "name"},
        piped="Name",
    ),
    Cmdlet("Clear-DnsClientCache Register-DnsClient", does="system.tune"),
    Cmdlet(
        "New-SmbShare Grant-SmbShareAccess",
        does="net.listen",
        order="Name Path",
        takes={"Name": "name", "Path": "-", "FullAccess ChangeAccess ReadAccess AccountName AccessRight": "-"},
    ),
    Cmdlet(
        "Remove-SmbShare Set-SmbShare Revoke-SmbShareAccess Block-SmbShareAccess Unblock-SmbShareAccess "
        "Set-SmbServerConfiguration Set-SmbClientConfiguration Close-SmbSession Close-SmbOpenFile",
        does="system.change",
        order="Name",
        takes={"Name": "name"},
        switches={"Force": ""},
    ),
    Cmdlet(
        "New-SmbMapping",
        does="fs.attach",
        order="LocalPath RemotePath",
        takes={"RemotePath": "name", "LocalPath UserName Password": "-"},
    ),
    Cmdlet("Remove-SmbMapping", does="fs.attach", order="LocalPath"),
    Cmdlet(
        "Enter-PSSession New-PSSession Connect-PSSession New-CimSession Connect-WSMan "
        "Import-PSSession Export-PSSession Connect-PSHostProcess Enter-PSHostProcess",
        does="net.connect",
        order="ComputerName",
        takes={"ComputerName HostName ConnectionUri": "name", "Credential Port Authentication SessionOption": "-"},
    ),
    Cmdlet(
        "Exit-PSSession Remove-PSSession Disconnect-PSSession Receive-PSSession New-PSSessionOption", does="out.print"
    ),
    Cmdlet(
        "Enable-PSRemoting Enable-WSManCredSSP Set-WSManQuickConfig Register-PSSessionConfiguration "
        "Set-PSSessionConfiguration Enable-PSSessionConfiguration",
        does="net.listen",
        order="Name",
        switches={"Force SkipNetworkProfileCheck": ""},
    ),
    Cmdlet(
        "Disable-PSRemoting Disable-PSSessionConfiguration Unregister-PSSessionConfiguration Disable-WSManCredSSP",
        does="service.change",
        order="Name",
    ),
    Cmdlet("Set-WSManInstance New-WSManInstance Remove-WSManInstance", does="system.change", order="ResourceURI"),
    Cmdlet(
        "Send-MailMessage",
        does="message.send",
        order="To Subject Body SmtpServer",
        takes={
            "To": "name",
            "Attachments": "fs.read",
            "Body": "upload",
            "Subject From Cc Bcc SmtpServer Credential Port Priority Encoding": "-",
        },
        switches={"UseSsl BodyAsHtml": ""},
        piped="Attachments",
    ),
    Cmdlet("New-WebServiceProxy", order="Uri", takes={"Uri": "net.fetch"}, gives="download"),
)
