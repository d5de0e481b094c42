"""Phrases: what a program's words say together, where no single option says it.

A row names programs, a pattern of their words, and what such words mean: a kind of effect, and flags. It comes on top
of what the program's description says.
"""

from __future__ import annotations

_ALL = r"(?:0\.0\.0\.0|\*|\[?::\]?)"

_TREE = r"(?:/|~|/root|/home|/etc|/var|/Users|/home/[\w.-]+|/Users/[\w.-]+)/?(?:\s|$)"
_TREE_COPIED = r"^(?:copy|sync|move)\b.*\s" + _TREE + r".*\w:"
_MINERS = r"(?:xmrig|cpuminer|ethminer|minerd|xmr-stak)\b"

PHRASES: tuple[tuple[str, str, str], ...] = (
    # services that let anybody in
    ("redis-server valkey-server keydb-server", r"--protected-mode[ =]no\b", "net.listen +unguarded_service"),
    ("mysqld mysqld_safe mariadbd mariadbd-safe", r"--skip-grant-tables", "net.listen +unguarded_service"),
    ("mongod", r"--noauth\b|--bind_ip_all\b|--bind_ip[ =]0\.0\.0\.0", "net.listen +unguarded_service"),
    (
        "dockerd",
        r"(?:-H|--host)[ =]?tcp://(?!127\.|localhost)(?!.*--tlsverify)|--tls(?:verify)?=false",
        "net.listen +unguarded_service",
    ),
    ("code-server openvscode-server", r"--auth[ =]none|--without-connection-token", "net.listen +unguarded_service"),
    (
        "jupyter jupyter-lab jupyter-notebook",
        r"(?:token|password)=['\"]*(?:\s|$)|disable_check_xsrf=True.*ip[ =]" + _ALL,
        "net.listen +unguarded_service",
    ),
    (
        "vncserver tigervncserver Xvnc x0vncserver x11vnc wayvnc",
        r"-nopw\b|(?i:-SecurityTypes[ =]\S*None)|--I-KNOW-THIS-IS-INSECURE",
        "net.listen +unguarded_service",
    ),
    # ways in
    ("tailscale", r"\b(?:up|set)\b.*--ssh(?!=false)", "net.listen +shell_shared"),
    (
        "code code-insiders",
        r"^tunnel\b(?! (?:status|kill|prune|unregister|user show|help))",
        "net.listen +shell_shared",
    ),
    ("netsh", r"(?i:portproxy.* add\b|portproxy add)", "net.listen +tunnel"),
    ("systemsetup", r"(?i:-setremotelogin on|-setremoteappleevents on)", "system.change"),
    (
        "ufw",
        r"\ballow (?:in |proto \w+ )?from (?:any|0\.0\.0\.0/0|::/0)(?: to any)?\s*$|\ballow 1:65535",
        "defence.disable +policy",
    ),
    (
        "firewall-cmd firewall-offline-cmd",
        r"--add-port[= ][01]-65535|--add-source[= ]0\.0\.0\.0/0",
        "defence.disable +policy",
    ),
    ("gosu su-exec", r"^(?:root|0)(?::\S+)? (?:\S*/)?(?:ba|z|da|k)?sh\s*$", "process.run +shell_escape"),
    ("chroot", r"^/(?: (?:\S*/)?(?:ba|z|da|k)?sh)?\s*$", "process.run +shell_escape"),
    ("rclone", _TREE_COPIED, "net.send +copy +whole"),
    ("php php7 php8", r"-S\s*\S+.*-t\s*" + _TREE, "net.listen +served_all"),
    ("ruby", r"-run\b.*\bhttpd " + _TREE, "net.listen +served_all"),
    ("httpd", r"(?:^|\s)-h\s*" + _TREE, "net.listen +served_all"),
    ("docker podman nerdctl", r"\b(?:run|create|pull)\b.*[\w.-]+/" + _MINERS, "net.connect +mining"),
    ("wsl", r"--unregister\b", "container.delete +machine +volumes"),
    ("osascript", r"(?i:\bmake\s+(?:new\s+)?login item\b)", "schedule.change"),
    ("osascript", r"(?is:\b(?:Mail|Messages|Outlook)\b.*\bsend\b)", "message.send"),
    ("osascript", r"(?i:dataWithContentsOfURL|stringWithContentsOfURL).*", "code.remote"),
    # keys, screens, cameras
    (
        "storcli storcli64 perccli perccli64 ssacli hpssacli hpacucli arcconf",
        r"(?i:\b(?:delete|del|erase|init|initialize|secureerase|clear)\b)",
        "disk.change",
    ),
    ("esptool esptool.py", r"\berase[_-](?:flash|region)\b", "boot.change +firmware"),
    ("xtrabackup mariabackup", r"--(?:copy|move)-back\b", "disk.change"),
    ("unison", r"-force\b.*-batch\b|-batch\b.*-force\b", "fs.delete +recursive"),
    ("duplicity", r"\brestore\b.*--force\b|--force\b.*\brestore\b", "disk.change"),
    ("duplicity", r"\b(?:remove-older-than|remove-all-but-n-full|cleanup)\b.*--force", "disk.change +backup"),
    (
        "chrome google-chrome chromium chromium-browser msedge brave",
        r"--load-extension[= ]",
        "package.install +extension +file",
    ),
    ("podman", r"^machine (?:rm|reset)\b", "container.delete +machine +volumes"),
    ("copilot", r"--allow-all-tools|--allow-all-paths|--allow-all\b|--yolo", "process.run +unguarded"),
    ("caddy", r"^file-server\b.*--root[= ]" + _TREE, "net.listen +served_all"),
    (
        "apt apt-get aptitude",
        r"(?i:(?:AllowInsecureRepositories|AllowUnauthenticated|AllowDowngradeToInsecureRepositories)=['\"]?(?:true|1|yes))",
        "package.install +unsigned",
    ),
    ("brew", r"--no-quarantine\b", "package.install +unsigned"),
    ("pip pip3 uv", r"(?:-r|-c|--requirement|--constraint)[ =]?https?://", "package.install +url"),
    ("xinput", r"\b(?:test|test-xi2)\b", "system.read +keys"),
    ("libinput", r"\bdebug-events\b.*--show-keycodes", "system.read +keys"),
    ("screencapture", r"(?:^|\s)-[a-zA-Z]*x", "system.read +screen"),
    ("ffmpeg", r"-f (?:x11grab|gdigrab|kmsgrab|fbdev)\b", "system.read +screen"),
    ("ffmpeg", r"-f (?:v4l2|video4linux2|avfoundation|dshow|alsa|pulse)\b(?!.* -list_)", "system.read +camera"),
    (
        "xdotool ydotool wtype xte dotool",
        r"(?:^|\s)(?:type|str)\b.*(?:[|;&`$\\/~]|\b(?:sudo|rm|curl|sh|passw\w*)\b)|\bkey(?:down)?\b.*(?:ctrl|super|Return|alt|\b(?:29|125|28):1)",
        "system.tune +typed",
    ),
    # disks
    ("sgdisk", r"(?:^|\s)(?:-o|-Z|-z|--clear|--zap|--zap-all)(?:\s|$)", "disk.wipe"),
    ("resize2fs", r"(?:^|\s)-M\b|\s\d+[KMGTs]?\s*$", "disk.change"),
    ("xfs_repair", r"(?:^|\s)-\w*L", "disk.change"),
    ("tune2fs", r"(?:^|\s)(?:-O\s*\S*\^|-I\s)", "disk.change"),
    ("lvconvert", r"--merge\b|--uncache\b|--splitmirrors\b", "disk.change"),
    ("zfs zpool", r"^set (?:mountpoint=(?:none|legacy)|readonly=on|canmount=off|keylocation)", "disk.change"),
    ("cryptsetup", r"--dump-(?:master|volume)-key", "secret.read +keyring"),
    ("snapper", r"\b(?:delete|remove|rm)\b", "disk.change +backup"),
    ("ipmitool", r"\bpower (?:off|cycle|reset|soft|diag)\b|\bmc reset\b", "machine.halt"),
    ("ipmitool", r"\buser (?:set|priv|enable|disable)\b|\blan set\b|\bsel clear\b", "system.change"),
    # macOS
    ("nvram", r"(?:^|\s)[\w:%.-]+=", "boot.change"),
    ("pmset", r"\b(?:schedule|repeat)\b.*\b(?:poweroff|shutdown|restart)\b", "machine.halt"),
    ("defaults", r"^delete (?:-g|-globalDomain|NSGlobalDomain|com\.apple\.\w+)\s*$", "system.change"),
    ("security", r"^unlock-keychain\b.*\s-p\s", "secret.read +keyring"),
    ("hdiutil", r"\b(?:attach|mount)\b.*https?://", "package.install +url"),
    (
        "launchctl",
        r"^submit\b|^(?:load|bootstrap)\b.*\s(?:/private)?(?:/tmp|/var/tmp|/Users/Shared)/",
        "service.change +linked",
    ),
    ("launchctl", r"^(?:load|bootstrap)\b.*/LaunchDaemons/", "service.change +linked"),
    ("launchctl", r"^setenv (?:DYLD_\w+|PATH)\b", "service.change +linked"),
    # Windows
    ("reg", r"(?i:^(?:save|export)\s+\S*(?:SAM|SYSTEM|SECURITY)\b)", "secret.read +password_hash"),
    ("netsh", r"(?i:wlan.*key=clear)", "system.read +show_secrets"),
    ("rundll32", r"(?i:comsvcs.*(?:minidump|#\+?24))", "secret.read +process_memory"),
    ("procdump procdump64", r"(?i:\blsass)", "secret.read +process_memory"),
    ("fsutil", r"(?i:usn deletejournal)", "trace.erase"),
    ("fsutil", r"(?i:setzerodata|volume dismount|behavior set|dirty set)", "disk.change"),
    ("wmic", r"(?i:process call create)", "process.run +shell_escape"),
    # containers of the whole machine
    ("lxc incus", r"security\.privileged[ =]true|security\.nesting[ =]true", "container.run +privileged"),
    ("lxc incus", r"config device add\b.*\bsource=/(?:\s|$|etc|root|home)", "container.run +host_root"),
    ("kubectl", r"--image[= ]\S*" + _MINERS, "net.connect +mining"),
    ("composer", r"\bconfig\b.*\b(?:secure-http|disable-tls)\b.*\b(?:false|true)\b", "defence.disable +tls"),
    (
        "composer",
        r"\bconfig\b.*\brepo(?:sitories)?\.\S+ \w+ https?://(?!repo\.packagist\.org)",
        "system.change +package_source",
    ),
    ("bundle bundler", r"\bconfig\b.*\bmirror\.\S+ https?://", "system.change +package_source"),
    ("mise rtx asdf", r"\bplugins? (?:install|add)\b.*(?:https?://|git@)", "package.install +url"),
    ("deno", r"^install\b.*\shttps?://", "package.install +url"),
    ("rclone", r"^(?:dedupe)\b.*--dedupe-mode[ =](?!skip|list|interactive)", "infra.destroy"),
)
