-- When the key of the agent was rotated while an edge ran with it. Null if it was not, and if no edge ran with the key at that time.
alter table agents add column key_rotated_at timestamptz(3);
