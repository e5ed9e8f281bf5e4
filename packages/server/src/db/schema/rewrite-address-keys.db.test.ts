import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { useEmptyDatabase } from '../../testing/use-empty-database.ts'
import { newId } from '../ids/new-id.ts'
import { migrate } from './migrate.ts'

const { url, owner } = useEmptyDatabase()

it('addresses in other scripts get one key; of two rows with one key, the second keeps its former key', async () => {
  await migrate(url, { upTo: '0066-tools-by-server.sql' })
  const tenantId = newId()
  await owner.query("insert into tenants (id, name, created_at) values ($1, 'old', now())", [tenantId])
  const add = async (email: string, status: string) => {
    const key = email.toLowerCase()
    await owner.query(
      `insert into users (tenant_id, id, email, email_lower, role, status, created_at) values ($1, $2, $3, $4, 'member', $5, now())`,
      [tenantId, newId(), email, key, status],
    )
    if (status !== 'active') return
    const account = randomUUID()
    await owner.query('insert into email_lookup (address, tenant_id, user_id) values ($1, $2, $3)', [
      key,
      tenantId,
      account,
    ])
    await owner.query(
      'insert into identity.accounts (id, email, email_lower, email_verified, created_at) values ($1, $2, $3, true, now())',
      [account, email, key],
    )
  }
  await add('Mel@münchen.example', 'pending')
  await add('mel@mu\u0308nchen.example', 'active')
  await add('ann@xn--mnchen-3ya.example', 'active')
  await add('ann@münchen.example', 'active')
  await add('Bob@example.com', 'active')
  await migrate(url, { upTo: '0067-address-keys.sql' })
  const keys = ['ann@münchen.example', 'ann@xn--mnchen-3ya.example', 'bob@example.com', 'mel@xn--mnchen-3ya.example']
  const keysOf = async (table: string, column: string) =>
    (await owner.query(`select ${column} as key from ${table} order by ${column} collate "C"`)).rows.map(
      ({ key }) => key,
    )
  const users = await owner.query(`select email, email_lower from users where email_lower like 'mel@%' order by status`)
  expect(users.rows).toEqual([
    { email: 'mel@mu\u0308nchen.example', email_lower: 'mel@xn--mnchen-3ya.example' },
    { email: 'Mel@münchen.example', email_lower: 'mel@münchen.example' },
  ])
  expect(await keysOf('email_lookup', 'address')).toEqual(keys)
  expect(await keysOf('identity.accounts', 'email_lower')).toEqual(keys)
  await owner.query(`update users set email_lower = 'ｂｏ\u200dｂ@example.com' where email_lower = 'bob@example.com'`)
  await migrate(url)
  expect(await keysOf('users', 'email_lower')).toContain('bob@example.com')
  const [{ forced }] = (await owner.query(`select relforcerowsecurity as forced from pg_class where relname = 'users'`))
    .rows
  expect(forced).toBe(true)
})
