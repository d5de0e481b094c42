"""Programs that send messages to people."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec(
        "mail mailx s-nail bsd-mailx heirloom-mailx nail",
        does="message.send",
        operands="-*",
        options={
            "-s --subject -c --cc -b --bcc -r -S -u -q": "=-",
            "-a -A --attach": "=fs.read +attached",
            "-f --file": "!fs.read",
            "-h --help -V --version -H": "!system.read",
        },
    ),
    Spec(
        "mutt neomutt",
        does="message.send",
        operands="-*",
        options={
            "-s -c -b -e -F -n": "=-",
            "-a": "=fs.read +attached",
            "-i -H": "=fs.read",
            "-f -y -Z -z -R": "!fs.read",
            "-h -v": "!system.read",
        },
    ),
    Spec(
        "sendmail msmtp ssmtp exim exim4 mailsend sendemail smtp-cli postfix-sendmail nullmailer-inject",
        does="message.send",
        operands="-*",
        options={
            "-f -F -r -C -a --attach -attach": "=-",
            "-q -bp --version --serverinfo --pretend -bt -bv": "!system.read",
        },
    ),
    Spec(
        "swaks",
        does="message.send",
        operands="-*",
        options={
            "-t --to -f --from -s --server --h-Subject --header -p --port --auth --auth-user --auth-password -au -ap --ehlo": "=-",
            "--attach --body -d --data --attach-body": "=upload +attached",
            "--help --version --dump": "!system.read",
        },
    ),
    Spec(
        "slack slack-cli slackcat telegram-send twilio signal-cli ntfy notify pushover discord-cli discord matrix-commander "
        "xmpp sendxmpp apprise kdeconnect-cli line-notify zulip-send mattermost teams-cli gotify pb pushbullet whatsapp-cli",
        does="message.send",
        operands="-*",
        options={
            "-f --file -i --image --attachment -a --attach": "=fs.read +attached",
            "-t --token -c --channel -u --user -m --message -r --recipient --config": "=-",
            "-h --help -v --version --list": "!system.read",
        },
    ),
    Spec("wall rwall write", does="message.send", flags="broadcast", operands="-*"),
    Spec("notify-send terminal-notifier growlnotify", does="out.print", operands="-*"),
)
