"""Programs that read or turn text."""

from interlock.analyse.catalogue.spec import Spec

_GREP = {
    "-e --regexp": "=pattern ^",
    "-f --file": "=fs.read ^",
    "-A -B -C -m --max-count --include --exclude --exclude-dir -g --glob -t --type": "=-",
    "-r -R --recursive -i -n -l -c -v -E -F -P -o -q -w -s -h -H": "",
}

SPECS = (
    Spec(
        "cat bat nl tac less more most",
        operands="fs.read*",
        filters=True,
        options={"-l --language -n": ""},
    ),
    Spec(
        "head tail",
        operands="fs.read*",
        filters=True,
        options={"-n --lines -c --bytes": "=-", "-f -F --follow": ""},
    ),
    Spec("grep egrep fgrep zgrep rg ag ack pcregrep", operands="pattern fs.read*", filters=True, options=_GREP),
    Spec(
        "sort",
        operands="fs.read*",
        filters=True,
        options={"-o --output": "=fs.write", "-k -t -S -T": "=-", "--compress-program": "=code:shell"},
    ),
    Spec("uniq", operands="fs.read fs.write", filters=True, options={"-f -s -w": "=-"}),
    Spec(
        "cut paste join comm column fold fmt pr expand unexpand tsort shuf rev",
        operands="fs.read*",
        filters=True,
        options={"-d -f -c -b --delimiter --fields -t -s -w -n -1 -2": "=-"},
    ),
    Spec("tr", operands="-*", filters=True),
    Spec(
        "diff colordiff sdiff cmp delta icdiff",
        operands="fs.read*",
        options={"-x -I --label -U -C": "=-"},
    ),
    Spec(
        "base64 base32 basenc",
        operands="fs.read*",
        filters=True,
        options={"-w --wrap": "=-", "-d -D --decode -i": ""},
    ),
    Spec(
        "xxd hexdump hd",
        operands="fs.read*",
        filters=True,
        options={"-l -s -c -g -n -A -t -j -N": "=-", "-r -p": ""},
    ),
    Spec(
        "od god",
        operands="fs.read*",
        filters=True,
        options={
            "-A --address-radix -t --format -j --skip-bytes -N --read-bytes": "=-",
            "-w -S": "=-?",
            "-a -b -c -d -f -i -l -o -s -x -v": "",
        },
    ),
    Spec("strings", operands="fs.read*", options={"-n -t -e": "=-"}),
    Spec(
        "jq yq gojq xq dasel fx",
        operands="- fs.read*",
        filters=True,
        options={"--arg --argjson": "=-", "-f --from-file": "=fs.read", "-i --in-place": "!fs.write"},
    ),
    Spec("xmllint xsltproc tidy", operands="fs.read*", options={"--xpath --schema -o --output": "=-"}),
    Spec("iconv", operands="fs.read*", options={"-f -t": "=-", "-o": "=fs.write"}),
    Spec("envsubst", operands="-*", filters=True),
    Spec("man info help tldr whatis apropos", does="out.print", operands="-*"),
    Spec(
        "date",
        does="system.read",
        operands="-*",
        options={"-s --set": "=- !system.change", "-d --date -f -r --reference -I -R -v": "=-?", "-j -u": ""},
    ),
    Spec("hostname domainname dnsdomainname nisdomainname", does="system.tune", operands="-*", bare="system.read"),
    Spec("which whereis command-not-found", does="system.read", operands="-*"),
    Spec("clear reset tput stty cowsay figlet lolcat", does="out.print", operands="-*"),
    Spec("expr bc dc factor numfmt basename dirname", does="out.print", operands="-*"),
    Spec(
        "pandoc convert ffmpeg magick",
        operands="fs.read*",
        options={"-o --output": "=fs.write", "-i": "=fs.read", "-f -t": "=-"},
    ),
    Spec(
        "pv multitail lnav ccze goaccess csvcut csvstat csvclean csvgrep csvlook csvsort csvjson in2csv csvtool jless gron htmlq pup "
        "wdiff difft diffoscope interdiff combinediff dwdiff cloc scc tokei codespell aspell vale hunspell mdcat glow rich "
        "uuencode enscript diff3 look ptx tidy-viewer toilet boxes",
        operands="fs.read*",
        options={"-c -d -f -n -t -l --delimiter --columns": "=-", "-o --output": "=fs.write"},
    ),
    Spec(
        "uuid uuidgen pwgen makepasswd pwqgen units usleep cmatrix sl fortune roll rolldice",
        does="out.print",
        operands="-*",
    ),
    Spec("xclip xsel pbcopy pbpaste wl-copy wl-paste", does="system.read", operands="-*"),
    Spec(
        "nm objdump ldd c++filt addr2line",
        operands="fs.read*",
        options={"-j -s -m -M -e": "=-?"},
    ),
)
