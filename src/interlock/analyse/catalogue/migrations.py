"""Migration tools and the database tasks of frameworks: which of them empty or drop what they migrate."""

from interlock.analyse.catalogue.spec import Spec

_SPAWN = Spec("*", does="process.spawn", operands="-*")
_DROP = Spec("drop", does="db.drop", flags="task", options={"--help": "!db.read"})
_RESET = Spec(
    "reset",
    does="db.drop",
    flags="task reset",
    options={"--help": "!db.read", "--dry-run --pretend --sql": "!db.read"},
)
_EMPTY = Spec("flush", does="db.delete", flags="unbounded task", options={"--help": "!db.read"})
_MIGRATE = Spec("migrate", does="db.write", flags="task", options={"--help": "!db.read"})
_BACK = Spec("rollback", does="db.write", flags="task rollback", options={"--help": "!db.read"})
_ALL_BACK = Spec("rollback", does="db.drop", flags="task rollback", options={"--help": "!db.read"})
_READ = Spec("status", does="db.read")
_LOSING = Spec(
    "push",
    does="db.write",
    flags="task",
    options={
        "--accept-data-loss --force-reset": "!db.drop +lossy",
        "--force": "!db.drop +lossy",
        "--schema --config": "=-",
        "--help": "!db.read",
    },
)
_CONFIRMED = {
    "-n --no-interaction --force --no-input --noinput -y --yes -f": "",
    "-e --env --environment --path --database --url --config -c --dir": "=-",
}

_RAILS: dict[str, Spec | str] = {
    "db:drop db:drop:all db:drop:_unsafe": _DROP,
    "db:reset db:migrate:reset db:schema:load db:structure:load db:purge db:purge:all db:truncate_all db:seed:replant db:schema:load:primary": _RESET,
    "db:migrate db:seed db:setup db:create db:prepare db:migrate:up db:test:prepare db:fixtures:load": _MIGRATE,
    "db:rollback db:migrate:down db:migrate:redo": _BACK,
    "db:version db:migrate:status db:schema:dump db:abort_if_pending_migrations": _READ,
    "runner r": Spec("runner", operands="code:ruby", options={"-e --environment": "=-"}),
    "credentials:show encrypted:show secrets:show": Spec("show", does="secret.read", operands="-*", flags="store"),
    "*": _SPAWN,
    "": _SPAWN,
}
_DJANGO: dict[str, Spec | str] = {
    "flush sqlflush_now": _EMPTY,
    "reset_db drop_test_database reset_schema": _RESET,
    "migrate": Spec(
        "migrate",
        does="db.write",
        flags="task",
        sub={},
        options={"--plan --check": "!db.read", "--fake": "", "--database --settings": "=-"},
    ),
    "sqlmigrate sqlflush showmigrations check diffsettings inspectdb dumpdata": _READ,
    "loaddata": _MIGRATE,
    "dbshell": Spec("dbshell", does="db.read", stdin="sql", operands="- code:sql"),
    "shell shell_plus": Spec("shell", does="process.spawn", options={"-c --command": "=code:python"}),
    "*": _SPAWN,
    "": _SPAWN,
}
_ARTISAN: dict[str, Spec | str] = {
    "migrate:fresh migrate:refresh db:wipe": _RESET,
    "migrate:reset": _ALL_BACK,
    "migrate:rollback": _BACK,
    "migrate db:seed migrate:install": _MIGRATE,
    "migrate:status db:show db:table db:monitor": _READ,
    "tinker": Spec("tinker", does="process.spawn", options={"--execute": "=code:php"}),
    "down": Spec("down", does="service.read"),
    "*": _SPAWN,
    "": _SPAWN,
}

SPECS = (
    Spec(
        "rails rake",
        sub=_RAILS,
        options={"-f --rakefile -C --directory -e --environment": "=-", "-n --dry-run -T --tasks": "", "-t": ""},
    ),
    Spec("manage.py django-admin django", sub=_DJANGO, options={"--settings --pythonpath --database": "=-"}),
    Spec("artisan sail", sub=_ARTISAN, options={"--env": "=-"}),
    Spec(
        "console bin/console",
        sub={
            "doctrine:schema:drop doctrine:database:drop": Spec(
                "drop",
                does="db.read",
                flags="task",
                options={"--force -f": "!db.drop", "--env -e": "=-", "-n --full-database": ""},
            ),
            "doctrine:fixtures:load": Spec(
                "load", does="db.delete", flags="unbounded task", options={"--append": "!db.write"}
            ),
            "doctrine:migrations:migrate doctrine:schema:update doctrine:migrations:execute": _MIGRATE,
            "*": _SPAWN,
            "": _SPAWN,
        },
    ),
    Spec(
        "prisma",
        sub={
            "db": Spec(
                "db",
                sub={
                    "push": _LOSING,
                    "execute": Spec(
                        "execute",
                        does="db.execute",
                        flags="task",
                        options={"--file": "=fs.read", "--stdin": "", "--schema --url": "=-"},
                    ),
                    "pull": _READ,
                    "seed": _MIGRATE,
                    "drop": _DROP,
                    "*": _MIGRATE,
                },
            ),
            "migrate": Spec(
                "migrate", sub={"reset": _RESET, "dev deploy resolve": _MIGRATE, "status diff": _READ, "*": _MIGRATE}
            ),
            "studio generate format validate init version": "process.spawn",
            "*": "process.spawn",
            "": "process.spawn",
        },
    ),
    Spec(
        "drizzle-kit",
        sub={
            "push push:pg push:mysql push:sqlite": _LOSING,
            "drop": Spec("drop", does="db.drop", flags="task migration"),
            "migrate up": _MIGRATE,
            "*": "process.spawn",
        },
    ),
    Spec(
        "knex",
        options={"--knexfile --env --cwd": "=-"},
        sub={
            "migrate:rollback": Spec("rollback", does="db.write", flags="task rollback", options={"--all": "!db.drop"}),
            "migrate:latest migrate:up seed:run migrate:unlock": _MIGRATE,
            "migrate:down": _BACK,
            "migrate:list migrate:status migrate:currentVersion": _READ,
            "*": "process.spawn",
        },
    ),
    Spec(
        "sequelize sequelize-cli",
        sub={
            "db:drop": _DROP,
            "db:migrate:undo:all db:seed:undo:all": _ALL_BACK,
            "db:migrate:undo db:seed:undo": _BACK,
            "db:migrate db:seed db:seed:all db:create": _MIGRATE,
            "db:migrate:status": _READ,
            "*": "process.spawn",
        },
    ),
    Spec(
        "typeorm typeorm-ts-node-commonjs typeorm-ts-node-esm mikro-orm",
        sub={
            "schema:drop database:drop schema:fresh migration:fresh": _RESET,
            "migration:revert migration:down": Spec("revert", does="db.alter", flags="task rollback"),
            "migration:run schema:sync migration:up schema:update": _MIGRATE,
            "migration:show schema:log": _READ,
            "query": Spec("query", operands="code:sql"),
            "*": "process.spawn",
        },
    ),
    Spec(
        "alembic",
        options=_CONFIRMED,
        sub={
            "downgrade": _BACK,
            "upgrade stamp": _MIGRATE,
            "current history heads show branches check": _READ,
            "*": "process.spawn",
        },
    ),
    Spec(
        "flask",
        options={"--app -A": "=-"},
        sub={
            "db": Spec(
                "db",
                sub={
                    "downgrade": _BACK,
                    "upgrade stamp": _MIGRATE,
                    "current history heads show": _READ,
                    "drop reset": _RESET,
                    "*": "process.spawn",
                },
            ),
            "shell run": "process.spawn",
            "*": "process.spawn",
        },
    ),
    Spec(
        "flyway",
        options={"-url -user -password -configFiles -locations": "=-?"},
        sub={
            "clean": _RESET,
            "undo": _BACK,
            "migrate baseline repair": _MIGRATE,
            "info validate check version help": _READ,
            "*": _MIGRATE,
        },
    ),
    Spec(
        "liquibase",
        options={"--changelog-file --changeLogFile --url --username --password --defaults-file": "=-"},
        sub={
            "dropAll drop-all": _RESET,
            "rollback rollbackCount rollback-count rollbackToDate rollback-to-date rollbackOneChangeSet": _BACK,
            "update update-count updateCount update-to-tag tag changelog-sync": _MIGRATE,
            "status validate diff history updateSQL update-sql rollbackSQL generateChangeLog snapshot": _READ,
            "*": _MIGRATE,
        },
    ),
    Spec(
        "dbmate",
        options=_CONFIRMED,
        sub={
            "drop": _DROP,
            "rollback down": _BACK,
            "up migrate create load": _MIGRATE,
            "status dump wait new": _READ,
            "*": _MIGRATE,
        },
    ),
    Spec(
        "migrate",
        options={"-path -database -source -lock-timeout": "=-"},
        sub={
            "drop": _DROP,
            "down": _ALL_BACK,
            "up goto force": _MIGRATE,
            "version create": _READ,
            "*": "process.spawn",
            "": "process.spawn",
        },
    ),
    Spec(
        "phinx",
        options=_CONFIRMED,
        sub={"rollback": _BACK, "migrate seed:run": _MIGRATE, "status list": _READ, "*": "process.spawn"},
    ),
    Spec(
        "skeema",
        options=_CONFIRMED,
        sub={
            "push": Spec(
                "push",
                does="db.alter",
                flags="task",
                options={"--allow-unsafe": "!db.drop +lossy", "--dry-run": "!db.read"},
            ),
            "diff lint pull init add-environment version format": _READ,
            "*": _MIGRATE,
        },
    ),
    Spec(
        "gh-ost pt-online-schema-change pt-table-sync",
        does="db.read",
        operands="-*",
        options={"--execute": "!db.alter", "--alter --table --database --host --user --password --port": "=-"},
    ),
    Spec(
        "pt-archiver",
        does="db.write",
        operands="-*",
        options={
            "--purge": "!db.delete +many",
            "--dry-run": "!db.read",
            "--source --dest --where --limit --file": "=-",
        },
    ),
    Spec(
        "pt-kill",
        does="db.read",
        operands="-*",
        options={
            "--kill --kill-query": "!db.execute +sessions",
            "--match-user --match-db --busy-time --interval": "=-",
        },
    ),
    Spec("meteor", sub={"reset": _RESET, "deploy": "deploy.release", "*": _SPAWN, "": _SPAWN}),
    Spec(
        "magento",
        sub={"setup:uninstall": _DROP, "setup:rollback": _ALL_BACK, "setup:upgrade": _MIGRATE, "*": _SPAWN, "": _SPAWN},
    ),
    Spec("goose", options={"-dir -table -s": "=-"}, operands="-*", does="db.write", flags="task"),
    Spec(
        "atlas",
        options={"--env --url -u -c --config": "=-"},
        sub={
            "schema": Spec(
                "schema",
                sub={
                    "clean": _RESET,
                    "apply": Spec(
                        "apply",
                        does="db.alter",
                        flags="task",
                        options={"--dry-run": "!db.read", "--auto-approve": "+unattended"},
                    ),
                    "inspect diff fmt": _READ,
                    "*": _MIGRATE,
                },
            ),
            "migrate": Spec("migrate", sub={"down": _BACK, "status lint diff validate hash new": _READ, "*": _MIGRATE}),
            "*": "process.spawn",
        },
    ),
    Spec(
        "sqitch",
        options=_CONFIRMED,
        sub={
            "revert rebase": Spec("revert", does="db.drop", flags="task rollback", options={"--to -t": "=- !db.write"}),
            "deploy": _MIGRATE,
            "status log plan show verify": _READ,
            "*": "process.spawn",
        },
    ),
    Spec(
        "diesel",
        options={"--database-url": "=-"},
        sub={
            "database": Spec("database", sub={"reset": _RESET, "drop": _DROP, "setup": _MIGRATE, "*": _MIGRATE}),
            "migration": Spec(
                "migration",
                sub={
                    "revert redo": Spec(
                        "revert", does="db.write", flags="task rollback", options={"-a --all": "!db.drop"}
                    ),
                    "list pending generate": _READ,
                    "*": _MIGRATE,
                },
            ),
            "print-schema": _READ,
            "*": "process.spawn",
        },
    ),
    Spec(
        "sqlx sea-orm-cli sea",
        sub={
            "database": Spec("database", sub={"drop": _DROP, "reset": _RESET, "create setup": _MIGRATE, "*": _MIGRATE}),
            "migrate": Spec(
                "migrate",
                sub={
                    "revert down": _BACK,
                    "fresh reset refresh": _RESET,
                    "run up": _MIGRATE,
                    "info status add": _READ,
                    "*": _MIGRATE,
                },
            ),
            "*": "process.spawn",
        },
    ),
    Spec(
        "hasura",
        options={"--project --endpoint --admin-secret": "=-"},
        sub={
            "metadata": Spec(
                "metadata",
                sub={
                    "clear": Spec("clear", does="db.drop", flags="task metadata"),
                    "export diff inconsistency": _READ,
                    "*": _MIGRATE,
                },
            ),
            "migrate": Spec(
                "migrate",
                sub={"delete": Spec("delete", does="db.drop", flags="task migration"), "status": _READ, "*": _MIGRATE},
            ),
            "*": "process.spawn",
        },
    ),
    Spec(
        "medusa-db drush wp",
        options={"--path --uri --url": "=-"},
        sub={
            "sql-drop sql:drop site-install site:install si": _RESET,
            "db": Spec(
                "db",
                sub={
                    "drop reset clean": _RESET,
                    "query": Spec("query", operands="code:sql"),
                    "export check size tables search": _READ,
                    "*": _MIGRATE,
                },
            ),
            "sql-query sqlq sql:query": Spec("query", operands="code:sql"),
            "site": Spec("site", sub={"empty": _EMPTY, "delete": _DROP, "*": _READ}),
            "eval ev php:eval php-eval": Spec("eval", operands="code:php"),
            "*": "process.spawn",
        },
    ),
    Spec(
        "mix",
        sub={
            "ecto.drop": _DROP,
            "ecto.reset": _RESET,
            "ecto.rollback": Spec("rollback", does="db.write", flags="task rollback", options={"--all": "!db.drop"}),
            "ecto.migrate ecto.create ecto.setup": _MIGRATE,
            "ecto.migrations ecto.dump help": _READ,
            "deps.get deps.update local.hex local.rebar archive.install": "package.install",
            "run": Spec("run", does="process.spawn", operands="-*", options={"-e --eval": "=code:elixir"}),
            "hex.publish": "package.publish",
            "hex.retire": Spec("retire", does="package.publish", operands="-*", flags="withdraw"),
            "*": "process.spawn",
            "": "process.spawn",
        },
    ),
)
