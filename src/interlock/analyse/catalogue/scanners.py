"""Tools that scan, listen in on, or attack networks and machines."""

from interlock.analyse.catalogue.spec import Spec

_HELP = {"--help --version -V -version": "!system.read"}

SPECS = (
    Spec(
        "shodan",
        sub={"init info version": "process.run", "*": Spec("search", does="net.connect", flags="recon", operands="-*")},
    ),
    Spec(
        "whatweb wafw00f sslscan sslyze testssl testssl.sh sherlock holehe photon gau waybackurls katana hakrawler",
        does="net.connect",
        flags="fingerprint",
        operands="-*",
        options=_HELP,
    ),
    Spec(
        "fping",
        operands="net.connect*",
        options={
            "-g --generate": "+scan",
            "-f --file": "=fs.read +scan",
            "-c -C -r -t -p -i -b -H -I -S": "=-",
            "-a -q -s -u -v -l -n -A -d -e": "",
        },
    ),
    Spec(
        "nmap",
        operands="net.connect*",
        flags="scan",
        options={
            "-p -oN -oX -oG -oA -oS -iR --exclude --excludefile -e -S -D -g --source-port --max-rate --min-rate -T --top-ports --data-length": "=-",
            "--script-args --host-timeout --max-retries --min-parallelism --max-parallelism --proxies --ttl --spoof-mac --dns-servers --stylesheet": "=-",
            "-iL": "=fs.read",
            "--script": "=- +probe",
            "-sL --iflist -V --version -h --help": "!system.read",
            "-sS -sT -sU -sV -sC -sn -sP -sA -sN -sF -sX -O -A -Pn -PS -PA -PE -n -R -v -vv -d -F -r -6 -T0 -T1 -T2 -T3 -T4 -T5 -f -p- --open --reason": "",
        },
    ),
    Spec(
        "masscan zmap rustscan naabu unicornscan arp-scan netdiscover nbtscan nmblookup sx zgrab2 zgrab hping3 hping2 angryip",
        operands="net.connect*",
        does="net.connect",
        flags="scan",
        options={
            "-a -host -d --addresses --range -r": "=net.connect",
            "-p -l -i --rate -c -list -t -b -o -w -e -m --interface --bandwidth --scan": "=-",
            **_HELP,
        },
    ),
    Spec(
        "nikto wpscan joomscan droopescan nuclei arjun dalfox xsstrike commix skipfish zaproxy zap.sh zap-cli arachni wapiti burpsuite acunetix",
        does="net.connect",
        flags="probe",
        operands="-*",
        options=_HELP,
    ),
    Spec(
        "gobuster ffuf wfuzz dirb dirbuster dirsearch feroxbuster kiterunner kr",
        does="net.connect",
        flags="probe brute_force",
        operands="-*",
        options=_HELP,
    ),
    Spec(
        "amass subfinder assetfinder sublist3r theharvester theHarvester recon-ng dnsx dnsrecon dnsenum fierce massdns censys spiderfoot maltego dmitry",
        does="net.connect",
        flags="recon",
        operands="-*",
        options=_HELP,
    ),
    Spec(
        "httpx",
        operands="net.fetch*",
        does="net.fetch",
        options={
            "-l -list": "=fs.read +fingerprint",
            "-u -target": "=net.fetch +fingerprint",
            "-m --method -d --data -j --json": "=- +send",
            "-p -ports -threads -o -H --headers --params --auth --proxy --timeout": "=-",
        },
    ),
    Spec(
        "sqlmap sqlninja jsql nosqlmap bbqsql ghauri", does="net.connect", flags="attack", operands="-*", options=_HELP
    ),
    Spec(
        "hydra medusa ncrack patator crowbar thc-hydra brutespray kerbrute legba",
        does="net.connect",
        flags="attack brute_force",
        operands="-*",
        options=_HELP,
    ),
    Spec(
        "john hashcat unshadow ophcrack rainbowcrack rcrack fcrackzip pdfcrack rarcrack zip2john ssh2john",
        does="process.run",
        flags="crack",
        operands="-*",
        options={
            "--show --list -I --help --version": "!system.read",
            "--identify --example-hashes --hash-info": "!system.read",
        },
    ),
    Spec(
        "msfconsole msfvenom msfrpcd msfdb msfd meterpreter metasploit sliver sliver-client empire powershell-empire cobaltstrike havoc mythic-cli merlin poshc2 koadic villain veil shellter beef-xss setoolkit evilginx evilginx2 gophish "
        "donut scarecrow covenant pupy routersploit rsf.py searchsploit exploitdb",
        does="process.run",
        flags="attack",
        operands="-*",
        options=_HELP,
    ),
    Spec(
        "mimikatz crackmapexec cme netexec nxc evil-winrm bloodhound bloodhound-python sharphound rubeus responder ntlmrelayx.py ntlmrelayx secretsdump.py psexec.py smbexec.py wmiexec.py GetNPUsers.py GetUserSPNs.py "
        "impacket-secretsdump impacket-psexec impacket-smbexec impacket-wmiexec impacket-ntlmrelayx impacket-GetNPUsers impacket-GetUserSPNs impacket-ticketer impacket-smbserver impacket-mssqlclient "
        "enum4linux enum4linux-ng smbmap ldapdomaindump certipy certipy-ad lsassy pypykatz lazagne LaZagne coercer petitpotam mitm6 rpcclient windapsearch kerbrute_linux",
        does="net.connect",
        flags="attack",
        operands="-*",
        options=_HELP,
    ),
    Spec(
        "linpeas linpeas.sh winpeas lse.sh linenum LinEnum.sh linux-exploit-suggester les.sh pspy pspy64 pspy32 traitor beroot unix-privesc-check gtfonow deepce deepce.sh botb amicontained peirates kubeletmein",
        does="process.run",
        flags="attack privesc",
        operands="-*",
        options=_HELP,
    ),
    Spec(
        "aircrack-ng aireplay-ng airodump-ng airmon-ng airbase-ng wifite reaver bully wash kismet hcxdumptool fluxion mdk3 mdk4 pixiewps cowpatty",
        does="net.connect",
        flags="attack wireless",
        operands="-*",
        options=_HELP,
    ),
    Spec(
        "ettercap bettercap arpspoof dnsspoof sslstrip dsniff mitmf yersinia macof urlsnarf driftnet evilgrade responder.py inveigh dnschef macchanger",
        does="net.connect",
        flags="attack spoof",
        operands="-*",
        options=_HELP,
    ),
    Spec(
        "slowloris slowhttptest goldeneye hulk loic hoic t50 siege-attack torshammer xerxes ddosify ufonet pyloris",
        does="net.connect",
        flags="attack flood",
        operands="-*",
        options=_HELP,
    ),
    Spec(
        "ab wrk wrk2 hey siege vegeta bombardier k6 locust artillery oha drill-load autocannon",
        does="net.connect",
        flags="load",
        operands="-*",
        options=_HELP,
    ),
    Spec(
        "tcpdump tshark dumpcap wireshark ngrep tcpflow snoop termshark netsniff-ng windump pktmon",
        does="system.read",
        operands="-*",
        flags="capture",
        options={
            "-w": "=fs.write",
            "-z": "=script",
            "-r --read-file": "=fs.read +from_file",
            "-D -h --help --version": "+from_file",
            "-v -G": "",
            "-i --interface -c -s -C -W -F -T -e -E -Y -f -B -y -j -Z -d -o": "=-",
        },
    ),
    Spec(
        "mitmproxy mitmdump mitmweb proxify",
        does="net.listen",
        flags="intercept",
        operands="-*",
        options={"-s --scripts": "=script", "-p --listen-port -w -m --mode": "=-", **_HELP},
    ),
    Spec(
        "logkeys xinput-log keylogger lkl uberkey xspy",
        does="system.read",
        flags="keys",
        operands="-*",
        options=_HELP,
    ),
    Spec(
        "stegsnow steghide outguess snowdrop stegosuite openstego zsteg",
        does="process.run",
        flags="conceal",
        operands="-*",
        options={"-sf -cf -ef -p": "=-", **_HELP},
    ),
    Spec(
        "xmrig xmrig-cuda xmrig-proxy cpuminer cpuminer-multi minerd ethminer cgminer bfgminer nbminer t-rex phoenixminer lolminer teamredminer minergate-cli xmr-stak ccminer nicehash",
        does="net.connect",
        flags="mining",
        operands="-*",
        options=_HELP,
    ),
    Spec(
        "tor torbrowser-launcher nyx obfs4proxy i2pd i2prouter anonsurf",
        does="net.connect",
        flags="anonymous",
        operands="-*",
        options={**_HELP, "--hash-password --verify-config": "!system.read"},
    ),
    Spec(
        "truffleHog trufflehog gitleaks git-secrets detect-secrets gitrob keyfinder", does="system.read", operands="-*"
    ),
)
