-- When a session was last used: at its sign-in, or at its last refresh. Each use issues a token, so the newest token of an older session has
-- the time. The previous version inserts sessions without the column, and the default is then the time of the sign-in.
-- The update below rewrites every row of sessions. The table belongs to no tenant, so no row-level security hides rows.
alter table sessions add column last_used_at timestamptz(3) not null default now();
update sessions s set
  last_used_at = coalesce((select max(t.issued_at) from refresh_tokens t where t.session_id = s.id), s.created_at),
  ip = nullif(s.ip, ''),
  user_agent = nullif(btrim(regexp_replace(s.user_agent, '[\u0001-\u001f\u007f-\u009f]+', ' ', 'g')), '');

-- The list of an account's sessions, newest use first.
create index sessions_by_use on sessions (account_id, last_used_at desc, id desc) where revoked_at is null;

-- Whether a session has a token that is still valid. A session that is refreshed four times an hour has thousands of expired tokens.
drop index refresh_tokens_by_session;
create index refresh_tokens_by_session on refresh_tokens (session_id, expires_at);
