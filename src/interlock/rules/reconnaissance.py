"""Reconnaissance of other people's machines, networks and traffic."""

from interlock.levels import Level
from interlock.patterns import late
from interlock.rules.rule import Rule, effect, family

_LOOPBACK = late(r"(?:^|[/@ ])(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|0\.0\.0\.0)(?:[:/ ]|$)")


def is_another_machine(name: str) -> bool:
    """Whether the target of a scan is another machine than this one."""
    return not _LOOPBACK.search(name)


def is_public_address(name: str) -> bool:
    """Whether the target of a load test is an address on another machine, rather than the name of a script."""
    return "://" in name and is_another_machine(name)


RULES = family(
    "reconnaissance",
    Rule(
        name="network_scan",
        level=Level.HIGH,
        when=effect("net.connect", "scan"),
        reason="A scan probes machines without their owners' consent",
        eased={"loopback": Level.LOW},
        match=[
            "$ nmap -sV 192.168.1.0/24",
            "$ masscan 10.0.0.0/8 -p80",
            "$ nc -zv example.com 1-1024",
            "$ rustscan -a 10.0.0.5",
        ],
        no_match=["$ nc -zv example.com 443", "$ ping example.com", "$ nmap --version"],
    ),
    Rule(
        name="web_probe",
        level=Level.HIGH,
        when=effect("net.connect", "probe", without="brute_force", named=is_another_machine),
        reason="A web scanner probes a site for weaknesses",
        eased={"loopback": Level.LOW},
        match=["$ nikto -h https://example.com", "$ nuclei -u https://example.com", "$ nmap --script vuln 10.0.0.5"],
        no_match=["$ curl https://example.com", "$ nikto --version", "$ nikto -h http://localhost:8000"],
    ),
    Rule(
        name="path_guessing",
        level=Level.HIGH,
        when=effect("net.connect", "brute_force", without="attack", named=is_another_machine),
        reason="Thousands of guesses search for hidden pages of a site",
        match=["$ gobuster dir -u https://example.com -w words.txt", "$ ffuf -u https://example.com/FUZZ -w words.txt"],
        no_match=["$ curl https://example.com/admin", "$ ffuf -u http://localhost:3000/FUZZ -w words.txt"],
    ),
    Rule(
        name="target_research",
        level=Level.HIGH,
        when=effect("net.*", "recon"),
        reason="These tools gather information for an attack, or for spying on somebody",
        match=[
            "$ subfinder -d example.com",
            "$ shodan search nginx",
            "$ amass enum -d example.com",
            "$ sherlock someone",
        ],
        no_match=["$ dig example.com", "$ httpx https://example.com", "$ whois example.com"],
    ),
    Rule(
        name="fingerprinting",
        level=Level.MEDIUM,
        when=effect("net.*", "fingerprint"),
        reason="It detects which software a site runs",
        match=["$ whatweb example.com", "$ httpx -l hosts.txt"],
        no_match=["$ httpx https://example.com", "$ curl -I https://example.com"],
    ),
    Rule(
        name="packet_capture",
        level=Level.HIGH,
        when=effect("system.read", "capture", without="from_file loopback"),
        reason="Captured traffic contains what others send, including passwords",
        match=["$ tcpdump -i any port 80", "$ tshark -i eth0", "$ tcpdump -i eth0 -w out.pcap"],
        no_match=["$ tcpdump -r saved.pcap", "$ tcpdump -D", "$ tcpdump -i lo port 8000"],
    ),
    Rule(
        name="traffic_intercepted",
        level=Level.MEDIUM,
        when=effect("net.listen", "intercept"),
        reason="An intercepting proxy reads the traffic",
        match=["$ mitmproxy -p 8080", "$ mitmdump -w out"],
        no_match=["$ mitmproxy --version", "$ nc -l 8080"],
    ),
    Rule(
        name="request_flood",
        level=Level.HIGH,
        when=effect("net.connect", "load", without="local private trusted", named=is_public_address),
        reason="A load test can make somebody else's service unavailable",
        match=["$ wrk -t4 -c100 https://www.example.org/", "$ hey -z 30m https://www.example.org/"],
        no_match=["$ wrk -t4 -c100 http://localhost:3000/", "$ ab -n 10 http://10.0.0.5/", "$ k6 run load.js"],
    ),
    Rule(
        name="request_load",
        level=Level.MEDIUM,
        when=effect("net.connect", "load"),
        reason="Many requests at once can bring a service down",
        eased={"loopback": Level.LOW},
        match=["$ ab -n 1000 -c 100 https://example.com/", "$ wrk -t4 -c100 https://example.com"],
        no_match=["$ curl https://example.com", "$ wrk --version"],
    ),
)
