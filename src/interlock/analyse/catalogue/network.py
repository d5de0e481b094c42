"""Programs that speak to the network."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec(
        "curl",
        operands="net.fetch*",
        options={
            "-X --request": "=-",
            "-d --data --data-raw --data-binary --data-ascii --data-urlencode --json": "=upload +send",
            "-F --form --form-string": "=upload +send",
            "-T --upload-file": "=fs.read +send",
            "-o --output": "=fs.write +download",
            "-O --remote-name --remote-name-all -J": "+saved +download",
            "--url": "=net.fetch",
            "-K --config --netrc-file --cacert --cert --key -E": "=fs.read",
            "-H --header -u --user -A --user-agent -b --cookie -c --cookie-jar -e --referer -m --max-time --connect-timeout": "=-",
            "--retry --retry-delay -x --proxy -w --write-out -r --range --resolve --interface --limit-rate -C --max-redirs": "=-",
            "-s -S -L -f -k -i -I -v -g -G --get --head --silent --show-error --location --fail --insecure --compressed": "",
        },
    ),
    Spec(
        "wget",
        operands="net.fetch*",
        options={
            "-O --output-document": "=fs.write +download",
            "-P --directory-prefix": "=-",
            "--method": "=-",
            "--post-data --body-data": "=upload +send",
            "--post-file --body-file": "=fs.read +send",
            "-i --input-file": "=fs.read",
            "--header -U --user-agent --user --password -e --tries -t -T --timeout -o": "=-",
            "-q -c -r -N -nc --no-check-certificate --spider": "",
        },
    ),
    Spec("http https xh httpie", operands="-*", does="net.send"),
    Spec(
        "scp sftp",
        operands="fs.read* fs.write",
        does="net.send",
        options={"-i -P -o -F -J -l -c -S": "=-", "-r": "+recursive"},
    ),
    Spec(
        "nc ncat netcat",
        operands="net.connect -*",
        does="net.connect",
        options={
            "-e --exec": "=code:shell +shell",
            "-c --sh-exec": "=code:shell +shell",
            "-l --listen": "!net.listen",
            "-p -w -s -q": "=-",
            "-z -v -n -u -k": "",
        },
    ),
    Spec("socat", operands="net.connect*"),
    Spec("telnet ftp tftp lftp", operands="net.connect -*", options={"-e -c": "=-"}),
    Spec(
        "ping ping6 traceroute tracepath mtr dig nslookup host whois drill arping",
        does="system.read",
        operands="-*",
        options={"-c -W -t -p -x": "=-?"},
    ),
    Spec(
        "ip ifconfig netstat ss arp route iwconfig nmcli networksetup scutil",
        does="system.read",
        operands="-*",
    ),
    Spec("nmap masscan", operands="net.connect*", options={"-p -oN -oX -oA -iL -T": "=-"}),
    Spec(
        "tcpdump tshark wireshark dumpcap",
        does="system.read",
        operands="-*",
        options={"-w": "=fs.write", "-i -c -r": "=-"},
    ),
    Spec(
        "mail mailx sendmail mutt swaks",
        does="message.send",
        operands="-*",
        options={"-s -c -b -r": "=-", "-a -A": "=fs.read"},
    ),
    Spec(
        "ssh",
        operands="- command",
        options={
            "-i -p -l -F -o -J -L -R -D -b -c -e -E -I -m -O -Q -S -W -w -B": "=-",
            "-t -T -v -q -N -f -A -X -Y -C -4 -6 -g -k": "",
        },
    ),
    Spec(
        "ssh-keygen ssh-add ssh-copy-id ssh-keyscan ssh-agent",
        does="system.read",
        operands="-*",
        options={"-f -C -t -b -N -i": "=-"},
    ),
    Spec("ngrok cloudflared localtunnel lt", does="net.listen", operands="-*"),
    Spec(
        "openssl",
        sub={
            "s_client": "net.connect",
            "enc base64 aes-256-cbc aes-128-cbc": Spec(
                "enc",
                does="fs.read",
                filters=True,
                options={"-in": "=fs.read", "-out": "=fs.write", "-k -K -iv -pass -S -md -iter -kfile": "=-"},
            ),
            "dgst rand x509 req genrsa rsa pkey version ciphers": "fs.read",
            "*": "fs.read",
        },
    ),
    Spec("aria2c axel", operands="net.fetch*", options={"-o -d": "=-"}),
    Spec(
        "rclone",
        sub={
            "ls lsd lsl lsf size about listremotes version check": "net.fetch",
            "copy sync move copyto moveto": "net.send",
            "delete purge rmdir": "infra.destroy",
            "*": "net.send",
        },
    ),
)
