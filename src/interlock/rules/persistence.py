"""What runs by itself later."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

_CHANGE = "fs.write fs.move fs.mode"

RULES = family(
    "persistence",
    Rule(
        name="app_settings_changed",
        level=Level.HIGH,
        when=effect(
            "fs.write fs.move fs.delete", "app_settings", without="new startup executable agent_config ide_config"
        ),
        reason="The settings of another application would change",
        match=["$ echo x > ~/.config/frobnicate/settings.toml", "$ rm ~/.config/frobnicate/hooks.json"],
        no_match=["$ mkdir -p ~/.config/frobnicate", "$ cat ~/.config/frobnicate/theme.toml", "$ ls ~/.config"],
    ),
    Rule(
        name="startup_write",
        level=Level.HIGH,
        when=effect(_CHANGE, "startup"),
        reason="What is written here runs by itself later",
        match=[
            "$ echo 'x' >> ~/.bashrc",
            "$ echo key >> ~/.ssh/authorized_keys",
            "$ cp hook .git/hooks/pre-commit",
            "$ cp x.service /etc/systemd/system/x.service",
        ],
        no_match=["$ cat ~/.bashrc", "$ ls .git/hooks", "$ cp x.service deploy/systemd/x.service"],
    ),
    Rule(
        name="login_script_write",
        level=Level.HIGH,
        when=effect(_CHANGE, "startup", "login"),
        reason="Every new shell of its owner would run this",
        match=[
            "$ echo 'alias ls=x' >> ~/.bash_aliases",
            "$ tee -a /etc/profile.d/x.sh < x",
            "$ sed -i s/a/b/ ~/.zshenv",
        ],
        no_match=["$ source ~/.bashrc", "$ cat /etc/profile"],
    ),
    Rule(
        name="authorized_keys_write",
        level=Level.CRITICAL,
        grave=True,
        when=effect(_CHANGE, "startup", "authorized"),
        reason="Whoever holds the key that is named here could sign in to this machine",
        match=["$ echo 'ssh-rsa AAAA' >> ~/.ssh/authorized_keys", "$ tee -a /root/.ssh/authorized_keys < key.pub"],
        no_match=["$ cat ~/.ssh/authorized_keys", "$ ssh-copy-id host"],
    ),
    Rule(
        name="cron_write",
        level=Level.HIGH,
        when=effect(_CHANGE, "startup", "cron"),
        reason="A line in a crontab runs again and again, without anyone watching",
        match=[
            "$ echo '* * * * * root x' > /etc/cron.d/x",
            "$ cp job /etc/cron.daily/job",
            "$ tee -a /etc/crontab < x",
        ],
        no_match=["$ cat /etc/crontab", "$ ls /etc/cron.d"],
    ),
    Rule(
        name="unit_write",
        level=Level.HIGH,
        when=effect(_CHANGE, "startup", "unit"),
        reason="A service file starts its program at every boot",
        match=[
            "$ cp app.service /etc/systemd/system/",
            "$ cp x.plist ~/Library/LaunchAgents/x.plist",
            "$ tee ~/.config/systemd/user/x.service < x",
        ],
        no_match=["$ systemctl cat nginx", "$ cat /etc/systemd/system/x.service"],
    ),
    Rule(
        name="desktop_autostart_write",
        level=Level.HIGH,
        when=effect(_CHANGE, "startup", "desktop"),
        reason="This starts with the desktop, in its owner's session",
        match=[
            "$ cp x.desktop ~/.config/autostart/",
            "$ echo 'exec x' >> ~/.xinitrc",
            "$ cp x ~/.local/share/applications/",
        ],
        no_match=["$ ls ~/.config/autostart"],
    ),
    Rule(
        name="editor_startup_write",
        level=Level.HIGH,
        when=effect(_CHANGE, "startup", "editor"),
        reason="The editor or debugger would run this the next time it starts",
        match=[
            "$ echo 'au VimEnter * !x' >> ~/.vimrc",
            "$ cp x.js ~/.vscode/extensions/x/extension.js",
            "$ echo x > ~/.gdbinit",
        ],
        no_match=["$ cat ~/.vimrc"],
    ),
    Rule(
        name="interpreter_startup_write",
        level=Level.HIGH,
        when=effect(_CHANGE, "startup", "interpreter"),
        reason="Every Python or other interpreter that starts would run this",
        match=[
            "$ cp x.pth ~/.local/lib/python3.11/site-packages/x.pth",
            "$ echo 'import x' > ~/.local/lib/python3.11/site-packages/sitecustomize.py",
        ],
        no_match=["$ cp model.pth weights/model.pth", "$ cat ~/.pythonrc"],
    ),
    Rule(
        name="loader_write",
        level=Level.CRITICAL,
        when=effect("fs.write fs.move fs.delete", "startup", "kernel_load"),
        reason="What is named here is loaded into the kernel or into every program",
        match=[
            "$ echo /tmp/x.so > /etc/ld.so.preload",
            "$ cp x.rules /etc/udev/rules.d/",
            "$ echo x > /etc/modules-load.d/x.conf",
        ],
        no_match=["$ cat /etc/ld.so.preload"],
    ),
    Rule(
        name="git_hook_write",
        level=Level.HIGH,
        when=effect("fs.write fs.move fs.mode fs.delete", "startup", "git_hook"),
        reason="A git hook runs at the next commit or checkout",
        match=["$ cp x .git/hooks/post-checkout", "$ chmod +x .git/hooks/pre-push", "$ echo x > .husky/pre-commit"],
        no_match=["$ ls .git/hooks", "$ cat .husky/pre-commit"],
    ),
    Rule(
        name="git_config_write",
        level=Level.HIGH,
        when=effect("fs.write fs.move fs.delete", "git_config"),
        reason="Git's configuration can make git run any program",
        instead="git config --list",
        match=[
            "$ echo '[core] pager = x' >> ~/.gitconfig",
            "$ cp config .git/config",
            "$ tee ~/.config/git/config < x",
        ],
        no_match=["$ cat .git/config", "$ git config --list"],
    ),
    Rule(
        name="remote_config_write",
        level=Level.HIGH,
        when=effect("fs.write fs.move fs.delete", "remote_config"),
        reason="SSH's configuration decides where connections go, and can run any program",
        match=["$ echo 'ProxyCommand x' >> ~/.ssh/config", "$ sed -i s/a/b/ ~/.ssh/config"],
        no_match=["$ ssh -G host"],
    ),
    Rule(
        name="proxy_config_write",
        level=Level.HIGH,
        when=effect("fs.write fs.move", "proxy_config"),
        reason="Every later download would go through what is named here",
        match=["$ echo 'proxy = http://example.com:8080' >> ~/.curlrc", "$ echo x > ~/.wgetrc"],
        no_match=["$ cat ~/.curlrc"],
    ),
    Rule(
        name="package_source_write",
        level=Level.HIGH,
        when=effect("fs.write fs.move", "package_config"),
        reason="Packages would come from somewhere else from now on",
        match=[
            "$ echo 'deb http://example.com x main' > /etc/apt/sources.list.d/x.list",
            "$ echo x > ~/.config/pip/pip.conf",
        ],
        no_match=["$ cat /etc/apt/sources.list"],
    ),
    Rule(
        name="dependency_source_write",
        level=Level.HIGH,
        when=effect("fs.write fs.move", "dependency_source"),
        reason="The downloaded source of a dependency would change for every project",
        match=["$ sed -i s/a/b/ ~/.cargo/registry/src/x/lib.rs", "$ cp x.go ~/go/pkg/mod/x/x.go"],
        no_match=["$ cargo clean", "$ ls ~/.cargo/registry"],
    ),
    Rule(
        name="ci_config_write",
        level=Level.HIGH,
        when=effect("fs.write fs.move", "ci_config", without="new"),
        reason="A pipeline runs with the project's own keys at the next push",
        match=["$ cp x.yml .github/workflows/x.yml", 'tool Write {"file_path": ".gitlab-ci.yml", "content": "x"}'],
        no_match=["$ cat .github/workflows/ci.yml", 'tool Read {"file_path": "Jenkinsfile"}'],
    ),
    Rule(
        name="ide_config_write",
        level=Level.HIGH,
        when=effect("fs.write fs.move", "ide_config"),
        reason="An editor's project settings can run commands when the project is opened",
        match=[
            'tool Write {"file_path": ".vscode/tasks.json", "content": "{}"}',
            "$ cp x.json .devcontainer/devcontainer.json",
        ],
        no_match=["$ cat .vscode/settings.json", "$ code ."],
    ),
    Rule(
        name="schedule_change",
        level=Level.HIGH,
        when=effect("schedule.change"),
        reason="A scheduled command runs later, without anyone watching",
        instead="crontab -l",
        match=["$ crontab -r", "$ echo 'ls' | crontab -", "$ at now < job"],
        no_match=["$ crontab -l"],
    ),
)
