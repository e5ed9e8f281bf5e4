import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { costOf, type PlanMode } from '../testing/statement-cost.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { listedSessions, listSessionsInUse } from './own-sessions.ts'

const server = useOwnServer()
const [few, many] = [randomUUID(), randomUUID()]

/** Adds sessions of an account, each with one valid refresh token. Each session of the list also has many expired tokens. */
async function fill(accountId: string, sessions: number): Promise<void> {
  await server.owner.query(
    `insert into sessions (id, account_id, created_at, last_used_at)
     select gen_random_uuid(), $1, now(), now() - n * interval '1 second' from generate_series(1, $2::int) n`,
    [accountId, sessions],
  )
  await server.owner.query(
    `insert into refresh_tokens (token_hash, session_id, issued_at, expires_at)
     select sha256((s.id::text || n)::bytea), s.id, now(), now() + case when n = 0 then interval '1 day' else interval '-1 day' end
     from sessions s, generate_series(0, case when s.last_used_at > now() - interval '200 seconds' then 200 else 0 end) n
     where s.account_id = $1`,
    [accountId],
  )
}

beforeAll(async () => {
  await fill(few, 200)
  await fill(many, 20_000)
  await server.owner.query('vacuum analyze sessions, refresh_tokens')
})

it.each<PlanMode>(['generic', 'custom'])(
  'a list reads as much of 20,000 sessions as of 200 (%s plan)',
  async (mode) => {
    const listing = (accountId: string) =>
      costOf(
        server,
        '',
        async (sql) => {
          const rows = await listSessionsInUse(sql, accountId, new Date().toISOString(), 7)
          expect(rows).toHaveLength(listedSessions)
        },
        mode,
      )
    const [small, large] = [await listing(few), await listing(many)]
    expect(large.buffers, JSON.stringify(large.plans)).toBeLessThan(small.buffers * 1.5 + 50)
    expect(large.buffers, JSON.stringify(large.plans)).toBeLessThan(listedSessions * 10)
  },
)
