ALTER TABLE interlock_policies ADD COLUMN revision INTEGER;
ALTER TABLE interlock_policies ADD COLUMN origin TEXT;

CREATE INDEX interlock_policies_by_revision ON interlock_policies (revision) WHERE revision IS NOT NULL;
