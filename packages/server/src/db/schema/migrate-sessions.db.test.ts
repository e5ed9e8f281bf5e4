import { randomBytes, randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { useEmptyDatabase } from '../../testing/use-empty-database.ts'
import { migrate } from './migrate.ts'

const { url, owner } = useEmptyDatabase()

async function addSession(ip: string | null, userAgent: string | null, refreshedDaysAgo: number[]): Promise<string> {
  const id = randomUUID()
  await owner.query(
    `insert into sessions (id, account_id, created_at, ip, user_agent)
     values ($1, 'a', date_trunc('day', now()) - interval '10 days', $2, $3)`,
    [id, ip, userAgent],
  )
  for (const days of refreshedDaysAgo) {
    await owner.query(
      `insert into refresh_tokens (token_hash, session_id, issued_at, expires_at)
       values ($1, $2, date_trunc('day', now()) - make_interval(days => $3), now())`,
      [randomBytes(32), id, days],
    )
  }
  return id
}

it('an older session was last used when its newest token was issued, or at its sign-in; its client is cleaned', async () => {
  await migrate(url, { upTo: '0033-records-by-agent.sql' })
  const refreshed = await addSession('127.0.0.1', 'Mozilla/5.0\t(evil\u009b\u001b[31m)', [10, 3, 7])
  const unused = await addSession('', '\u0007', [])
  const unknown = await addSession(null, null, [10])

  expect(await migrate(url)).toContain('0035-session-use.sql')
  const { rows } = await owner.query(
    `select id, (date_trunc('day', now()) - last_used_at)::text as ago, ip, user_agent from sessions`,
  )
  expect(Object.fromEntries(rows.map(({ id, ...row }) => [id, row]))).toEqual({
    [refreshed]: { ago: '3 days', ip: '127.0.0.1', user_agent: 'Mozilla/5.0 (evil [31m)' },
    [unused]: { ago: '10 days', ip: null, user_agent: null },
    [unknown]: { ago: '10 days', ip: null, user_agent: null },
  })
})

it('the previous version, which does not know the column, stores a session that was last used at its sign-in', async () => {
  const insert = 'insert into sessions (id, account_id, created_at) values ($1, $2, now())'
  await owner.query(insert, [randomUUID(), 'previous version'])
  const { rows } = await owner.query(
    "select last_used_at - created_at < interval '1 second' as same from sessions where account_id = 'previous version'",
  )
  expect(rows).toEqual([{ same: true }])
})
