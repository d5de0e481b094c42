"""Migrations and the database tasks of frameworks."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

#: A test database is dropped and made again by every test run.
_TRIAL = {"scratch": Level.LOW}

RULES = family(
    "migrations",
    Rule(
        name="task_drops_database",
        level=Level.HIGH,
        when=effect("db.drop", "task", without="reset rollback lossy migration metadata"),
        reason="The task drops the whole database",
        reversible=False,
        eased=_TRIAL,
        match=["$ rails db:drop", "$ sqlx database drop -y", "$ dbmate drop", "$ mix ecto.drop"],
        no_match=["$ rails db:migrate", "$ sqlx database create", "$ mix ecto.create"],
    ),
    Rule(
        name="task_resets_database",
        level=Level.HIGH,
        when=effect("db.drop", "task", "reset"),
        reason="The task drops every table and creates empty ones",
        reversible=False,
        instead="npx prisma migrate status",
        eased=_TRIAL,
        match=[
            "$ prisma migrate reset",
            "$ rails db:reset",
            "$ php artisan migrate:fresh --seed",
            "$ flyway clean",
            "$ diesel database reset",
        ],
        no_match=["$ prisma migrate deploy", "$ php artisan migrate", "$ flyway info"],
    ),
    Rule(
        name="task_rolls_everything_back",
        level=Level.HIGH,
        when=effect("db.drop", "task", "rollback"),
        reason="Reverting all migrations drops everything they created",
        reversible=False,
        eased=_TRIAL,
        match=[
            "$ alembic downgrade base",
            "$ python manage.py migrate shop zero",
            "$ knex migrate:rollback --all",
            "$ sequelize db:migrate:undo:all",
        ],
        no_match=["$ alembic downgrade -1", "$ python manage.py migrate", "$ knex migrate:rollback"],
    ),
    Rule(
        name="task_empties_database",
        level=Level.HIGH,
        when=effect("db.delete", "task"),
        reason="The task deletes every row of every table",
        reversible=False,
        eased=_TRIAL,
        match=[
            "$ python manage.py flush --no-input",
            "$ django-admin flush",
            "$ bin/console doctrine:fixtures:load -n",
        ],
        no_match=["$ python manage.py dumpdata", "$ python manage.py runserver"],
    ),
    Rule(
        name="task_accepts_loss",
        level=Level.HIGH,
        when=effect("db.drop", "task", "lossy"),
        reason="The schema would be forced, losing data that does not fit it",
        reversible=False,
        eased=_TRIAL,
        match=["$ prisma db push --accept-data-loss", "$ drizzle-kit push --force"],
        no_match=["$ prisma db push", "$ drizzle-kit push"],
    ),
    Rule(
        name="task_runs_sql",
        level=Level.HIGH,
        when=effect("db.execute", "task"),
        reason="SQL from a file would run on the database without review",
        reversible=False,
        match=["$ prisma db execute --file x.sql", "$ prisma db execute --stdin"],
        no_match=["$ prisma db pull"],
    ),
    Rule(
        name="task_forgets_migration",
        level=Level.HIGH,
        when=(effect("db.drop", "task", "migration"), effect("db.drop", "task", "metadata")),
        reason="Without its migration record, a database no longer matches its migrations",
        match=["$ drizzle-kit drop", "$ hasura metadata clear", "$ hasura migrate delete --all"],
        no_match=["$ drizzle-kit generate", "$ hasura metadata export"],
    ),
    Rule(
        name="task_rolls_back",
        level=Level.MEDIUM,
        when=effect("db.write db.alter", "task", "rollback"),
        reason="Reverting a migration drops its columns and their data",
        reversible=False,
        match=["$ alembic downgrade -1", "$ rails db:rollback", "$ typeorm migration:revert"],
        no_match=["$ alembic upgrade head", "$ rails db:migrate"],
    ),
    Rule(
        name="task_migrates",
        level=Level.MEDIUM,
        when=effect("db.write", "task", without="rollback"),
        reason="A migration changes the tables that a running app uses",
        match=["$ rails db:migrate", "$ alembic upgrade head", "$ prisma migrate deploy"],
        no_match=["$ alembic history", "$ prisma migrate status"],
    ),
)
