"""What Alembic runs: the steps, on the connection that it is given."""

from alembic import context

from interlock.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, version_table="interlock_version"
)
with context.begin_transaction():
    context.run_migrations()
