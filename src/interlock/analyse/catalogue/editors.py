"""Editors, for people and in batch."""

from interlock.analyse.catalogue.spec import Spec

_VIM = {
    "-c --cmd": "=code:vim",
    "-S": "=script",
    "-u -U -i -T -t -q -w -W --servername --listen": "=-",
    "-R": "!fs.read",
    "-e -E -es -Es -s": "+script",
    "-n -N -o -O -p -d -b -g -v -y -Z -M -m -X -V --clean --headless --noplugin --embed": "",
}

SPECS = (
    Spec("vim vi nvim gvim rvim nvimdiff", operands="fs.write*", options=_VIM),
    Spec("view vimdiff", operands="fs.read*", options=_VIM),
    Spec("ex", operands="fs.write*", options=_VIM),
    Spec("ed red", operands="fs.write*", options={"-p --prompt": "=-", "-s --quiet --silent -G -l -r -v": ""}),
    Spec(
        "emacs emacsclient",
        operands="fs.write*",
        options={
            "--eval -eval -e --execute": "=code:lisp",
            "-l --load --script -script": "=script",
            "-f --funcall -L --directory -T --title -d --display -a --alternate-editor -s --socket-name": "=-",
            "-Q -q -nw --batch -batch --daemon --no-init-file -n -c -t --no-wait --create-frame": "",
        },
    ),
    Spec(
        "nano pico micro joe jed kak helix hx mcedit ne",
        operands="fs.write*",
        options={
            "-s --speller": "=code:shell",
            "-r -T -Y -o -Q -J -C -f -X": "=-",
            "-v --view": "!fs.read",
            "-w -l -B": "",
        },
    ),
    Spec(
        "gedit kate xed pluma mousepad notepad textedit bbedit mate atom",
        operands="fs.write*",
        options={"-w --wait -n": ""},
    ),
    Spec(
        "code code-insiders codium vscodium cursor windsurf positron zed subl trae kiro idea pycharm webstorm goland clion fleet",
        operands="fs.read*",
        options={
            "--install-extension": "=package.install +extension",
            "--uninstall-extension": "=package.remove",
            "--disable-workspace-trust": "!defence.disable",
            "--add-mcp": "=- +mcp_server !package.install",
            "--list-extensions --status -s --version -v --help": "!system.read",
            "--extensions-dir --user-data-dir --profile --locale --log -l --line --command": "=-",
            "-d --diff -g --goto -a --add -n -r -w --wait --new-window --reuse-window --verbose": "",
        },
    ),
)
