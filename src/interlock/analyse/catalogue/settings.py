"""Programs that change small things of the machine, or tell about it."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec(
        "timedatectl hostnamectl localectl",
        sub={
            "status show list-timezones list-locales list-keymaps list-x11-keymap-layouts list-x11-keymap-models "
            "list-x11-keymap-variants list-x11-keymap-options show-timesync timesync-status": "system.read",
            "set-time": "system.change",
            "": "system.read",
            "*": "system.tune",
        },
    ),
    Spec(
        "hwclock",
        does="system.read",
        operands="-*",
        options={
            "-w --systohc -s --hctosys --adjust -a": "!system.tune",
            "--set": "!system.change",
            "--date -f --rtc": "=-",
        },
    ),
    Spec(
        "ntpdate chronyc ntpq ntpdc sntp systemsetup",
        does="system.tune",
        operands="-*",
        bare="system.read",
        options={"-q -p": "!system.read", "--dns --proxy --nwi --get --list": "=-? !system.read"},
    ),
    Spec(
        "update-alternatives alternatives update-java-alternatives archlinux-java eselect",
        does="system.tune",
        operands="-*",
        options={
            "--list --display --query --get-selections -l": "!system.read",
            "--install --set --config --remove --remove-all --slave": "",
        },
    ),
    Spec(
        "ldconfig updatedb mandb makewhatis fc-cache gtk-update-icon-cache update-desktop-database update-mime-database "
        "update-ca-certificates update-ca-trust systemd-hwdb systemd-tmpfiles systemd-sysusers install-info locale-gen "
        "dpkg-reconfigure update-locale setxkbmap loadkeys setfont setupcon kbdrate setterm xset xrandr xinput numlockx gsettings "
        "dconf xdg-mime xdg-settings xdg-desktop-menu duti update-pciids update-usbids etckeeper tzselect needs-restarting "
        "switcherooctl powerprofilesctl tuned-adm cpupower cpufreq-set auto-cpufreq tlp asusctl rfkill brightnessctl light "
        "xbacklight ddcutil wpctl pactl amixer alsactl pulseaudio-ctl pw-link pw-cli hciconfig "
        "steamos-readonly steamos-update steamos-finalize-install mhwd mhwd-gpu ubuntu-drivers prime-select nvidia-xconfig "
        "con2fbmap setserial tunelp hdajackretask fancontrol liquidctl sensors-detect inference-snap",
        does="system.tune",
        operands="-*",
        options={"-p --print-cache -l --list --list-schemas list get -v --version --help -h": "!system.read"},
    ),
    Spec(
        "steamos-factory-reset factory-reset raspi-config systemd-firstboot",
        does="system.change",
        operands="-*",
    ),
    Spec("udevadm", sub={"info monitor test test-builtin settle verify": "system.read", "*": "system.tune"}),
    Spec(
        "defaults",
        options={"-host": "=-", "-currentHost": "", "-app": "=-"},
        sub={"read read-type find domains help export": "system.read", "": "system.read", "*": "system.tune"},
    ),
    Spec(
        "lspci lsusb lsmem lshw dmidecode biosdecode hwinfo inxi neofetch fastfetch screenfetch onefetch free uptime sensors "
        "acpi upower acpi_listen lstopo cpuid cpufreq-info vcgencmd pinout vulkaninfo vainfo glxinfo clinfo "
        "edid-decode get-edid parse-edid monitor-edid ddcprobe evtest libinput getconf hostid fgconsole "
        "lsinitramfs lsinitcpio namcap i2cdetect i2cdump i2cget v4l2-ctl v4l2loopback-ctl usb-devices boltctl "
        "coredumpctl abrt-cli abrt sosreport sos steamos-dump-info raspinfo hardinfo macchina nitch archey "
        "rfetch cpufetch gpustat nvidia-settings mmcli iwinfo iwlist systemd-socket-proxyd mcelog rasdaemon ras-mc-ctl "
        "edac-util ipmitool powerstat battop getcap getpcaps locale localedef getopt tty "
        "vmware-toolbox-cmd virt-what ddate cal ncal gcal lsappinfo ioreg kextstat sw_vers "
        "system_profiler hidutil mdfind mdls locate plocate mlocate slocate",
        does="system.read",
        operands="-*",
    ),
    Spec(
        "fbgrab scrot grim maim screencapture flameshot spectacle gnome-screenshot",
        does="system.read",
        operands="fs.write*",
        options={"-c -d -i -w -g -l -t -T": "=-?"},
    ),
    Spec(
        "imagesnap fswebcam streamer guvcview arecord parecord rec",
        does="system.read",
        operands="fs.write*",
        flags="camera",
        options={"-l -L --list-devices --help --version": "!system.read", "-d -r -f -c -w -t": "=-?"},
    ),
    Spec("fbi fim feh imv sxiv eog xdg-user-dir", operands="fs.read*", options={"-t -T -d -a": "=-?"}),
    Spec(
        "minicom picocom tio cu",
        does="system.read",
        operands="-*",
        options={"-C --capturefile --log-file": "=fs.write", "-D -b --device --baudrate": "=-"},
    ),
    Spec("dhclient dhcpcd udhcpc", does="system.tune", operands="-*", options={"--dumplease -U": "!system.read"}),
    Spec("brctl", sub={"show showmacs showstp": "system.read", "*": "system.tune"}),
    Spec("iw wpa_cli iwctl rtmon", does="system.tune", operands="-*", bare="system.read"),
    Spec("kmscon agetty getty chvt openvt deallocvt vlock mesg talk", does="system.tune", operands="-*"),
    Spec("uinput xdotool ydotool dotool wtype xte evemu-event", does="system.tune", operands="-*"),
    Spec("prename detox convmv", operands="- fs.move*", options={"-n --dry-run --no-act": "!fs.read"}),
    Spec(
        "postconf postqueue mailq postmap newaliases postalias",
        does="system.tune",
        operands="-*",
        bare="system.read",
        options={"-n -d -p -q": "!system.read", "-e": ""},
    ),
    Spec("postsuper", does="system.change", operands="-*"),
    Spec(
        "lpadmin lpoptions lpr lp cancel cupsenable cupsdisable cupsaccept lpstat lpq lprm",
        does="system.tune",
        operands="-*",
        options={"-o -d -P -n -p": "=-"},
    ),
)
