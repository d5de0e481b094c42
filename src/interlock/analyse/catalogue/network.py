"""Programs that fetch from the network, send to it, or look at it."""

from interlock.analyse.catalogue.spec import Spec

_TLS = "--cacert --capath --cert --cert-type --key --key-type -E --pubkey --pinnedpubkey --crlfile --ciphers --tlsv1.2 --tls-max --proxy-cacert"

SPECS = (
    Spec(
        "curl curlie",
        operands="net.fetch*",
        options={
            "-X --request": "=-",
            "-d --data --data-raw --data-binary --data-ascii --data-urlencode --json": "=upload +send",
            "-F --form --form-string": "=upload +send",
            "--url-query": "=upload",
            "-T --upload-file": "=fs.read +send",
            "-o --output": "=fs.write +download",
            "-D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --libcurl --etag-save --hsts --alt-svc": "=fs.write",
            "-O --remote-name --remote-name-all -J --remote-header-name": "+saved +download",
            "--url": "=net.fetch",
            "-K --config": "=fs.read +config_file",
            "--netrc-file --etag-compare": "=-",
            _TLS: "=-",
            "-H --header -u --user -A --user-agent -b --cookie -e --referer -m --max-time --connect-timeout --oauth2-bearer": "=-",
            "--retry --retry-delay --retry-max-time -x --proxy -U --proxy-user --preproxy --socks5 --socks5-hostname --socks4 -w --write-out": "=-",
            "-r --range --resolve --connect-to --interface --limit-rate -C --continue-at --max-redirs --max-filesize --proto --proto-default": "=-",
            "-z --time-cond -y --speed-time -Y --speed-limit -Q --quote -P --ftp-port --local-port --dns-servers --doh-url --parallel-max --rate": "=-",
            "--mail-from --mail-rcpt --aws-sigv4 --request-target --variable --keepalive-time --expect100-timeout --output-dir --noproxy": "=-",
            "--unix-socket --abstract-unix-socket": "=- +socket_file",
            "-k --insecure --proxy-insecure": "+insecure",
            "-I --head": "+head",
            "-s -S -L -f -i -v -g -G -N -n -j -p -q -R -Z -# -0 -1 -2 -3 -4 -6 --get --silent --show-error --location --fail --compressed --netrc": "",
        },
    ),
    Spec(
        "wget wget2",
        operands="net.fetch*",
        options={
            "-O --output-document": "=fs.write +download",
            "-o --output-file -a --append-output --save-cookies --warc-file --rejected-log": "=fs.write",
            "--method": "=-",
            "--post-data --body-data": "=upload +send",
            "--post-file --body-file": "=fs.read +send",
            "-i --input-file --load-cookies --config": "=fs.read",
            "--use-askpass": "=code:shell",
            "--no-check-certificate": "+insecure",
            "-P --directory-prefix --header -U --user-agent --user --password --http-user --http-password --ftp-user --ftp-password --referer": "=-",
            "-e --execute -t --tries -T --timeout -w --wait -Q --quota --limit-rate -l --level -A --accept -R --reject -D --domains -B --base": "=-",
            "-I --include-directories -X --exclude-directories --cut-dirs --bind-address --certificate --private-key --ca-certificate --waitretry": "=-",
            "--max-redirect --prefer-family --proxy-user --proxy-password --default-page --restrict-file-names --progress --secure-protocol": "=-",
            "-q -c -r -N -nc -nv -nd -nH -np -x -p -k -K -m -b -d -v -S -H -L -E -4 -6 --spider --mirror --continue --recursive --no-parent": "",
        },
    ),
    Spec(
        "http https xh xhs httpie",
        operands="-*",
        does="net.fetch",
        options={
            "-o --output": "=fs.write",
            "-a --auth -A --auth-type -s --style --session --proxy --verify --cert --cert-key --timeout --max-redirects -p --print": "=-",
        },
    ),
    Spec(
        "lynx w3m links elinks",
        operands="net.fetch*",
        options={
            "-cmd_script": "=script",
            "-T -cols -o -O -width -useragent -cfg": "=-",
            "-post_data": "+send",
            "-dump -source -nolist": "",
        },
    ),
    Spec(
        "aria2c axel",
        operands="net.fetch*",
        options={
            "-o --out -d --dir -x -s -j -k -U --user-agent --header --max-connection-per-server --split --max-download-limit -n --num-connections": "=-",
            "-i --input-file": "=fs.read",
            "--on-download-complete --on-download-start --on-download-error --on-download-stop --on-bt-download-complete": "=script",
            "--enable-rpc": "!net.listen",
        },
    ),
    Spec(
        "yt-dlp youtube-dl gallery-dl",
        operands="net.fetch*",
        options={
            "--exec --exec-before-download": "=code:shell",
            "-o --output -f --format -P --paths -a --batch-file -u --username -p --password --cookies -r --proxy --playlist-items -S -R": "=-",
            "--cookies-from-browser": "=- +browser_secrets",
        },
    ),
    Spec(
        "scp",
        operands="fs.read* fs.write",
        does="net.send",
        options={"-i -P -o -F -J -l -c -D -X": "=-", "-S": "=code:shell", "-r": "+recursive"},
    ),
    Spec(
        "sftp",
        operands="net.connect -",
        options={"-b": "=script", "-i -P -o -F -J -l -c -B -R -D -X -s": "=-", "-S": "=code:shell", "-r": "+recursive"},
    ),
    Spec(
        "nc ncat netcat nc.traditional nc.openbsd pwncat",
        operands="net.connect -*",
        does="net.connect",
        options={
            "-e --exec -c --sh-exec --lua-exec": "=code:shell +shell",
            "-l --listen -L": "!net.listen",
            "-p -w -s -q -i -x -X -P -I -O -T -V -m --source-port --wait --idle-timeout --proxy --proxy-type --max-conns --ssl-cert --ssl-key": "=-",
            "-U": "=- +socket_file",
            "-z": "+port_check",
            "-v -n -u -k -4 -6 -d -h -t -C -N -r -S -D --ssl --udp --keep-open --broker --chat": "",
        },
    ),
    Spec("socat", operands="-*", does="net.connect", options={"-b -t -T -lf -lp -L -W": "=-", "-u -U -d -v -x -s": ""}),
    Spec("telnet rlogin rsh", operands="net.connect -*", options={"-l -e -b": "=-"}),
    Spec(
        "ftp tftp lftp ncftp",
        operands="net.connect -*",
        options={"-e -c": "=code:ftp", "-u -p -P": "=-", "-f": "=fs.read"},
    ),
    Spec(
        "ping ping6 hping traceroute traceroute6 tracepath mtr nslookup host whois arping dog resolveip",
        does="system.read",
        operands="-*",
        options={"-c -W -t -p -x -i -s -w -q -m -I -k -b -y -f": "=-"},
    ),
    Spec(
        "dig delv kdig drill",
        does="system.read",
        operands="-*",
        options={"-f": "=fs.read", "-b -c -k -p -q -t -x -y -i -w": "=-"},
    ),
    Spec(
        "netstat ss vnstat iperf iperf3 speedtest speedtest-cli fast bandwhich ipcalc sipcalc whatmask",
        does="system.read",
        operands="-*",
    ),
    Spec("ssh-keyscan", does="system.read", operands="-*", options={"-t -p -T -f": "=-"}),
    Spec(
        "ssh-add ssh-agent", does="system.read", operands="-*", options={"-D": "!process.run", "-t -c -s -e -S": "=-"}
    ),
    Spec(
        "ssh-keygen",
        does="process.run",
        operands="-*",
        options={
            "-D": "=script",
            "-f": "=-",
            "-l -F -B -L -Q -H": "!system.read",
            "-C -t -b -N -P -m -O -I -n -V -s -z -Z -a -E -i -e -R -r -Y": "=-",
        },
    ),
    Spec(
        "ssh-copy-id", operands="net.send", flags="copy login_key", options={"-i -p -o -F": "=-", "-n": "!system.read"}
    ),
    Spec(
        "ssh autossh mosh dropbear-ssh dbclient",
        operands="- command",
        options={
            "-i -p -l -F -o -J -L -R -D -b -c -e -E -I -m -M -O -P -Q -S -W -w -B --ssh": "=-",
            "-t -T -v -q -n -N -f -A -a -X -x -Y -C -G -K -k -s -V -y -4 -6 -g": "",
        },
    ),
    Spec(
        "openssl",
        sub={
            "x509 verify crl ciphers version s_time asn1parse": Spec(
                "x509",
                operands="-*",
                does="system.read",
                flags="names",
                options={
                    "-in -CAfile -inform -outform -days -signkey -CA -CAkey": "=-",
                    "-out": "=fs.write",
                    "-noout -text": "",
                },
            ),
            "s_client": Spec(
                "s_client",
                does="net.connect",
                operands="-*",
                options={
                    "-connect -host -port -servername -proxy -starttls -CAfile -cert -key -alpn": "=-",
                    "-quiet -showcerts -brief": "",
                },
            ),
            "s_server": "net.listen",
            "enc base64 aes-256-cbc aes-128-cbc": Spec(
                "enc",
                does="fs.read",
                filters=True,
                options={"-in": "=fs.read", "-out": "=fs.write", "-k -K -iv -pass -S -md -iter -kfile": "=-"},
            ),
            "req ca ts cms smime pkcs12 pkcs8 pkcs7 rsa dsa ec pkey dgst rsautl pkeyutl genrsa gendsa genpkey ecparam dhparam": Spec(
                "req",
                operands="-*",
                does="fs.read",
                options={
                    "-in": "=fs.read",
                    "-inkey -key": "=-",
                    "-out -keyout": "=fs.write",
                    "-engine": "=script",
                    "-k -K -iv -pass -passin -passout -subj -config -days -newkey -inform -outform -algorithm -pkeyopt -aes256": "=-?",
                },
            ),
            "engine": Spec("engine", operands="script", options={"-t -c -v -vvv": ""}),
            "rand prime passwd speed list help errstr": "system.read",
            "*": "fs.read",
        },
    ),
    Spec(
        "rclone",
        options={"--config -P --transfers --checkers --bwlimit": "=-?"},
        sub={
            "ls lsd lsl lsf lsjson size about listremotes version check cat tree ncdu md5sum sha1sum hashsum help": "net.fetch",
            "copy copyto move moveto copyurl bisync": Spec(
                "copy",
                operands="fs.read* -",
                does="net.send",
                flags="copy",
                options={
                    "-n --dry-run": "!net.fetch",
                    "--include --exclude --filter --max-size --min-size --transfers": "=-",
                },
            ),
            "sync": Spec(
                "sync",
                operands="fs.read -",
                does="net.send",
                flags="copy delete",
                options={"-n --dry-run": "!net.fetch", "--include --exclude --filter": "=-"},
            ),
            "delete deletefile purge rmdir rmdirs cleanup": Spec(
                "delete", does="infra.destroy", operands="-*", options={"-n --dry-run": "!net.fetch"}
            ),
            "config": Spec("config", sub={"show dump": "secret.read", "*": "process.run"}),
            "mount nfsmount": "fs.mount",
            "serve rcd": "net.listen",
            "*": "process.run",
        },
    ),
    Spec(
        "croc wormhole magic-wormhole transfer pastebinit wgetpaste fpaste ix bashupload onionshare-cli 0x0 termbin",
        operands="-*",
        does="net.send",
        flags="drop",
    ),
    Spec(
        "ffsend",
        sub={
            "download d": "net.fetch*",
            "info exists version debug history": "net.fetch",
            "*": Spec("upload", operands="fs.read*", does="net.send", flags="drop"),
        },
    ),
    Spec(
        "http.server SimpleHTTPServer http-server serve miniserve simplehttpserver live-server",
        does="net.listen",
        operands="-*",
        options={"-d --directory -path --root": "=fs.read +served", "-b --bind -p --port -l -listen -a": "=-"},
    ),
    Spec("uploadserver", does="net.listen", operands="-*"),
)
