ALTER TABLE interlock_access ADD COLUMN observe TEXT;
ALTER TABLE interlock_stops ADD COLUMN api_key VARCHAR(64);
ALTER TABLE interlock_stops ADD COLUMN api_key_name VARCHAR(200);
CREATE INDEX interlock_stops_in_force ON interlock_stops (lifted_at);
