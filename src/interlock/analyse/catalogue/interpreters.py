"""Programs that read code from their command line, their input or a file, in a language that is not the shell's."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec(
        "sed gsed",
        operands="code:sed fs.read*",
        filters=True,
        options={
            "-i --in-place": "=-? !fs.write +in_place",
            "-e --expression": "=code:sed ^",
            "-f --file": "=fs.read ^",
            "-l --line-length": "=-",
            "-n -E -r -s -z -u --posix --debug --sandbox": "",
        },
    ),
    Spec(
        "awk gawk mawk nawk goawk",
        operands="code:awk fs.read*",
        filters=True,
        options={
            "-F --field-separator -v --assign": "=-",
            "-f --file -E --exec": "=fs.read ^",
            "-e --source": "=code:awk ^",
            "-i --include -l --load": "=-",
            "-W": "=-",
        },
    ),
    Spec(
        "perl",
        operands="script",
        options={
            "-e -E": "=code:perl",
            "-n -p -l -w -a -s -0 -T -t -u -U -W -X -c -f -S": "",
            "-i": "=-? +in_place",
            "-F -C -d -D": "=-?",
            "-M -m -I": "=-",
            "-v -V -h --version --help": "!system.read",
        },
    ),
    Spec(
        "ruby irb jruby pry",
        operands="script",
        options={
            "-e": "=code:ruby",
            "-r -I -C -E -x": "=-",
            "-n -p -w -a -s -c -l": "",
            "-i": "=-? +in_place",
            "-v --version -h --help": "!system.read",
        },
    ),
    Spec(
        "node nodejs tsx ts-node",
        operands="script",
        options={
            "-e --eval -p --print -pe -ep": "=code:javascript",
            "-r --require --loader --import --env-file --max-old-space-size": "=-",
            "-i --interactive -c --check --inspect --watch --test": "",
            "-v --version -h --help": "!system.read",
        },
    ),
    Spec(
        "php php7 php8",
        operands="script",
        options={
            "-r -B -R -E": "=code:php",
            "-d -c -S -t -z": "=-",
            "-f -F": "=script",
            "-a -l -n -q": "",
            "-v -i -m --version --help --ini --info": "!system.read",
        },
    ),
    Spec("lua luajit lua5.1 lua5.3 lua5.4", operands="script", options={"-e": "=code:lua", "-l": "=-", "-i -v -E": ""}),
    Spec("osascript", operands="script", options={"-e": "=code:applescript", "-l -s": "=-", "-i": ""}),
    Spec("Rscript R", operands="script", options={"-e": "=code:r", "-f": "=script", "--vanilla --slave --version": ""}),
    Spec(
        "julia",
        operands="script",
        options={"-e --eval -E --print": "=code:julia", "-L --load": "=script", "-t -p -J --project": "=-?"},
    ),
    Spec("groovy", operands="script", options={"-e": "=code:groovy", "-cp -classpath -D": "=-"}),
    Spec("elixir", operands="script", options={"-e --eval": "=code:elixir", "-r -S -pa": "=-"}),
    Spec("tclsh wish", operands="script"),
    Spec(
        "rview",
        operands="fs.write*",
        options={
            "-c --cmd": "=code:vim",
            "-S": "=script",
            "-u -i -w -W -T": "=-",
            "-R": "!fs.read",
            "-e -E -s -es -n -N -b": "",
        },
    ),
    Spec(
        "octave octave-cli matlab", operands="script", options={"--eval -r -batch": "=code:octave", "-q -nodisplay": ""}
    ),
    Spec("gnuplot", operands="script", options={"-e": "=code:octave", "-p -persist": ""}),
    Spec("erl escript", operands="-*", options={"-eval": "=code:erlang", "-noshell": "", "-s -run -name -sname": "=-"}),
    Spec(
        "guile racket sbcl clisp clojure clj csi",
        operands="script",
        options={
            "-c -e -x --eval --expr": "=code:lisp",
            "-l --load -s": "=script",
            "-q -n --noinform --non-interactive": "",
        },
    ),
    Spec(
        "pdflatex latex tex pdftex xelatex lualatex",
        operands="code:tex*",
        does="process.spawn",
        options={"-output-directory -jobname -interaction": "=-"},
    ),
    Spec("uudecode", operands="fs.read*", filters=True, options={"-o": "=fs.write", "-m": ""}),
)
