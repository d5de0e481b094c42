"""What the rules about each kind of effect require, by family. `make docs` writes this file; do not edit it.

A rule about an effect requires one of its flags or places, or neither (`any`). So a family is imported when an effect
occurs that has what one of its rules requires.
"""

REQUIRED: dict[str, dict[str, str]] = {
    "out.print": {
        "tools": "any",
    },
    "fs.read": {
        "filesystem": "any removes",
        "network": "config_file served",
        "secrets": "other_root secret_search",
        "privacy": "keys_device private_life",
        "agent": "bind guard_config",
        "tools": "by_url",
    },
    "fs.write": {
        "filesystem": "absolute any handmade only_copy overwrites removes root sweep system truncate",
        "system": "link system",
        "disks": "node",
        "git": "unignored",
        "secrets": (
            "browser cloud_key cluster_key forge_key key_file keyring other_root password_hash payment_key "
            "process_memory registry_key secret variable"
        ),
        "privacy": "glance",
        "supply": "download",
        "infrastructure": "state_file",
        "privilege": "accounts privileges secret system",
        "kernel": "any system",
        "defence": "any defence_config shred stamped system truncate",
        "persistence": (
            "app_settings authorized ci_config cron dependency_source desktop editor git_config git_hook host_keys "
            "ide_config interpreter kernel_load login package_config proxy_config remote_config shadows startup"
        ),
        "agent": "agent_config agent_ignore agent_rules guard_config instructions other_guard",
    },
    "fs.move": {
        "filesystem": "any into_rebuilt sweep system top",
        "system": "system",
        "secrets": (
            "browser cloud_key cluster_key forge_key key_file keyring password_hash payment_key registry_key secret"
        ),
        "infrastructure": "state_file",
        "privilege": "accounts privileges secret system",
        "kernel": "system",
        "defence": "any defence_config system",
        "persistence": (
            "app_settings authorized ci_config cron dependency_source desktop editor git_config git_hook host_keys "
            "ide_config interpreter kernel_load login package_config proxy_config remote_config shadows startup"
        ),
        "agent": "agent_config agent_ignore agent_rules guard_config other_guard",
    },
    "fs.delete": {
        "filesystem": "any delete git_internal library only_copy recursive shred system trash",
        "system": "system",
        "disks": "subvolume",
        "secrets": (
            "browser cloud_key cluster_key forge_key key_file keyring other_root password_hash payment_key "
            "registry_key secret"
        ),
        "infrastructure": "state_file",
        "privilege": "accounts privileges secret system",
        "kernel": "system",
        "defence": "any defence_config shred system truncate",
        "persistence": "app_settings git_config git_hook host_keys kernel_load remote_config",
        "agent": "agent_config agent_ignore agent_rules guard_config other_guard",
    },
    "fs.mode": {
        "permissions": "closed recursive root secret set_id system world_writable",
        "supply": "download",
        "privilege": "privileges",
        "kernel": "system",
        "persistence": "authorized cron desktop editor git_hook interpreter login shadows startup",
        "agent": "agent_config guard_config other_guard",
    },
    "fs.owner": {
        "permissions": "any recursive root secret system",
        "kernel": "system",
        "agent": "guard_config",
    },
    "fs.attribute": {
        "permissions": "any attribute recursive",
        "privilege": "privileges",
        "defence": "any",
        "agent": "guard_config",
    },
    "fs.grant": {
        "permissions": "any capability",
    },
    "fs.mount": {
        "disks": "any bind everything",
    },
    "fs.attach": {
        "disks": "any",
    },
    "fs.option": {
        "disks": "any",
    },
    "secret.read": {
        "secrets": (
            "agent_socket any app_private browser cloud_key cluster_key forge_key history kernel_memory keyring mail "
            "other_root password_hash payment_key printed process_memory registry_key ssh_key state_file vpn_key "
            "wallet"
        ),
        "privacy": "private_life",
        "aws": "aws",
        "gcloud": "gcloud",
        "azure": "azure",
        "vaults": "cluster forge platform store",
        "tools": "by_url",
    },
    "env.read": {
        "secrets": "any secret",
    },
    "disk.read": {
        "disks": "any",
    },
    "disk.wipe": {
        "disks": "any",
    },
    "disk.change": {
        "disks": "any backup",
    },
    "disk.tune": {
        "disks": "any",
    },
    "disk.fill": {
        "disks": "any",
    },
    "machine.halt": {
        "processes": "any",
    },
    "machine.load": {
        "processes": "any memory",
    },
    "machine.exhaust": {
        "processes": "any",
    },
    "system.read": {
        "reconnaissance": "capture",
        "secrets": "show_secrets",
        "privacy": "camera clipboard keys private_life repeated screen",
    },
    "system.tune": {
        "system": "any",
        "privacy": "typed",
        "defence": "any",
    },
    "system.change": {
        "system": "any registry",
        "disks": "backup",
        "network": "interface rerouted",
        "packages": "package_source",
    },
    "boot.change": {
        "kernel": "any firmware",
    },
    "kernel.tune": {
        "kernel": "any",
    },
    "kernel.change": {
        "kernel": "any boot file probe",
    },
    "process.run": {
        "exfiltration": "conceal",
        "attacks": "attack crack privesc",
        "processes": "destroys",
        "publishing": "login token",
        "privilege": "shell_escape",
        "agent": "instructions unguarded",
    },
    "process.spawn": {
        "tunnels": "terminal",
        "disguise": "disguised unseen",
        "processes": "any endless",
    },
    "process.adjust": {
        "processes": "any",
        "agent": "any",
    },
    "process.attach": {
        "processes": "any",
    },
    "process.signal": {
        "processes": "any everything init of_user",
        "services": "any",
        "defence": "any",
        "agent": "any",
    },
    "service.start": {
        "services": "any enabled restarted",
    },
    "service.change": {
        "services": "all any defined disabled isolate linked",
        "defence": "any",
        "agent": "any",
    },
    "schedule.change": {
        "persistence": "any",
    },
    "user.add": {
        "users": "any lock not_unique password",
    },
    "user.grant": {
        "users": "any",
    },
    "user.change": {
        "users": "any empty home lock password remove root signin",
    },
    "privilege.raise": {
        "containers": "namespace",
        "privilege": "any",
    },
    "defence.change": {
        "defence": "any opens",
    },
    "defence.disable": {
        "network": "certificates tls",
        "packages": "unsigned",
        "defence": "any flush policy replaced",
        "agent": "guard_config",
    },
    "trace.erase": {
        "defence": "any history",
    },
    "code.opaque": {
        "code": "any cap changed computed extracted input native unpickle unread",
        "disguise": "decoded disguised false_ending injection invisible",
        "supply": "install_hook",
    },
    "code.eval": {
        "code": "any extracted",
        "disguise": "decoded detour hidden lookalike",
    },
    "code.run": {
        "git": "hooks",
        "code": "any foreign preload search_path",
        "persistence": "shadows",
    },
    "code.remote": {
        "network": "deceptive imitation shortened",
        "code": "any",
    },
    "net.fetch": {
        "network": "bare_address deceptive insecure metadata raw_scheme root_daemon telling unusual",
        "exfiltration": "browser_secrets carried collector environment personal secret",
        "tunnels": "network_tunnel proxy_tunnel reverse_tunnel shell",
        "reconnaissance": "fingerprint recon",
        "attacks": "attack",
        "privacy": "clipboard host_facts keys private_life recording screen",
        "processes": "repeated",
        "supply": "install_time",
    },
    "net.send": {
        "network": "any bare_address copy deceptive insecure login_key metadata raw_scheme root_daemon telling",
        "exfiltration": (
            "account_store browser_secrets carried collector dns drop dump environment personal secret whole workspace"
        ),
        "tunnels": "network_tunnel proxy_tunnel reverse_tunnel shell",
        "reconnaissance": "fingerprint recon",
        "attacks": "attack",
        "privacy": "clipboard host_facts keys private_life recording screen",
        "processes": "repeated",
        "supply": "install_time",
    },
    "net.connect": {
        "network": "deceptive insecure metadata raw_scheme root_daemon socket telling unchecked_host",
        "exfiltration": "browser_secrets carried collector dump environment personal secret workspace",
        "tunnels": "anonymous covert network_tunnel proxy_tunnel reverse_tunnel shell tunnel vpn",
        "reconnaissance": "brute_force fingerprint load probe recon scan",
        "attacks": "attack flood mining spoof wireless",
        "privacy": "clipboard host_facts keys private_life recording screen",
        "processes": "repeated",
        "supply": "install_time",
        "kubernetes": "cluster_port",
    },
    "net.listen": {
        "network": "any deceptive insecure metadata raw_scheme root_daemon served_all telling unguarded_service",
        "exfiltration": "browser_secrets carried collector environment personal secret",
        "tunnels": "network_tunnel proxy_tunnel reverse_tunnel shell shell_shared tunnel",
        "reconnaissance": "fingerprint intercept recon",
        "privacy": "clipboard host_facts keys private_life recording screen",
        "supply": "install_time",
        "kubernetes": "cluster_api",
    },
    "message.send": {
        "exfiltration": "carried environment personal secret",
        "privacy": "clipboard host_facts keys recording screen",
        "processes": "repeated",
        "tool_calls": "by_tool",
        "clients": "many",
        "messaging": "any attached aws broadcast carried dump",
        "agent": "instructions",
    },
    "vcs.change": {
        "git": "abort branch command config delete secret",
        "network": "deceptive imitation shortened",
        "forges": "alias forge",
        "agent": "any instructions",
    },
    "vcs.commit": {
        "git": "any no_verify",
    },
    "vcs.discard": {
        "git": "files force hard history objects stash submodule worktree",
    },
    "vcs.rewrite": {
        "git": "branch history reference reflog remote",
    },
    "vcs.push": {
        "git": "browser delete dump force mail no_verify records release secret stranger",
        "forges": "api archived bypass credential forge merge renamed stored transferred",
    },
    "package.install": {
        "network": "deceptive imitation shortened",
        "packages": "any breaks_system file forced global unsigned",
        "supply": (
            "channel compromised download extension index lookalike mcp_server model plain_http run tap untrusted url"
        ),
        "agent": "any",
    },
    "package.remove": {
        "packages": "any critical forced many only_copy purge",
        "agent": "any",
    },
    "package.publish": {
        "publishing": "any owners withdraw",
    },
    "db.read": {
        "privacy": "private_life",
        "databases": "credentials",
    },
    "db.write": {
        "supply": "registry",
        "databases": "any credentials queue rights unbounded",
        "migrations": "rollback task",
        "agent": "agent_config instructions",
    },
    "db.delete": {
        "databases": "any many queue unbounded",
        "migrations": "task",
    },
    "db.drop": {
        "databases": "any database queue replaced schema table",
        "migrations": "lossy metadata migration reset rollback task",
    },
    "db.alter": {
        "databases": "any server",
        "migrations": "rollback",
    },
    "db.grant": {
        "databases": "admin any user_dropped",
    },
    "db.execute": {
        "databases": "dynamic outside server sessions stall stopped transaction",
        "migrations": "task",
    },
    "container.run": {
        "secrets": "handed_over",
        "processes": "repeated",
        "containers": (
            "device host_network host_processes host_root host_secrets host_users powers privileged socket unconfined"
        ),
    },
    "container.change": {
        "network": "deceptive imitation shortened",
        "secrets": "handed_over",
        "containers": "force local_cluster rebuilt",
        "agent": "any",
    },
    "container.delete": {
        "containers": "any everything machine registry service volumes",
        "agent": "any",
    },
    "cluster.change": {
        "network": "deceptive imitation shortened",
        "processes": "repeated",
        "kubernetes": "any debugged evicts granted privileged prune recreated restored rights to_zero token unguarded",
        "clients": "library",
    },
    "cluster.delete": {
        "kubernetes": "all any backup definition force namespace node policy release stateful volume",
    },
    "infra.read": {
        "privacy": "private_life",
        "exposure": "remote_run session",
    },
    "infra.change": {
        "processes": "repeated",
        "cloud": "bought detached disabled dns expires mirror restored to_zero",
        "exposure": "admin credential granted public remote_run session unguarded",
        "aws": "aws",
        "gcloud": "compute credential gcloud",
        "azure": "azure",
        "infrastructure": "any fleet playbook project_task pulled state_replaced tainted unattended unlocked",
        "vaults": "decrypted sealed",
        "platforms": "disabled granted",
        "forges": "forge",
        "clients": "library",
    },
    "infra.destroy": {
        "cloud": (
            "backup cluster compute database dns identity key network no_backup project queue registry service storage "
            "stored"
        ),
        "exposure": "granted public unguarded",
        "aws": "aws",
        "gcloud": "database",
        "azure": "azure",
        "infrastructure": "any project_task recursive stack state unattended",
        "vaults": "engine",
        "platforms": "database key platform",
        "forges": "api forge",
    },
    "deploy.release": {
        "publishing": "release_task",
        "cloud": "mirror to_zero",
        "exposure": "public",
        "infrastructure": "any",
    },
    "local.change": {
        "services": "user",
        "defence": "user",
        "agent": "user",
    },
    "order.place": {
        "tool_calls": "by_tool",
    },
    "content.publish": {
        "tool_calls": "by_tool",
    },
    "document.share": {
        "tool_calls": "by_tool",
    },
    "data.export": {
        "tool_calls": "by_tool",
    },
    "record.change": {
        "forges": "branch",
        "tool_calls": "by_tool",
    },
    "record.delete": {
        "tool_calls": "by_tool",
    },
    "account.change": {
        "tool_calls": "by_tool",
    },
    "access.grant": {
        "tool_calls": "by_tool",
    },
    "security.lower": {
        "tool_calls": "by_tool",
    },
    "device.operate": {
        "tool_calls": "by_tool",
    },
    "contract.sign": {
        "tool_calls": "by_tool",
    },
    "appointment.make": {
        "tool_calls": "by_tool",
    },
    "automation.install": {
        "tool_calls": "by_tool",
    },
    "payment.send": {
        "processes": "repeated",
        "tools": "any",
    },
    "tool.change": {
        "privacy": "watching",
        "tools": "any holds_key instructions",
    },
    "tool.destroy": {
        "tools": "annotated any",
    },
    "tool.unknown": {
        "tools": "changed",
    },
}
