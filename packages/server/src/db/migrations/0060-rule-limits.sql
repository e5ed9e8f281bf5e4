-- How often an agent may use an `allow` rule: {count, window_s}. Null if the rule has no limit.
alter table policy_rules add column "limit" jsonb;
