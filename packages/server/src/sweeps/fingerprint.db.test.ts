import { expect, it } from 'vitest'
import { createTenant } from '../testing/arrange.ts'
import { useTenant, useTestServer } from '../testing/use-test-server.ts'
import { fingerprint } from './fingerprint.ts'

const server = useTestServer()
const tenant = useTenant(server)

/** Runs a statement, and returns whether it changed the fingerprint of the tenant. */
async function changes(text: string, values: unknown[]): Promise<boolean> {
  const before = await fingerprint(server, [tenant.id])
  expect((await server.owner.query(text, values)).rowCount).toBe(1)
  return (await fingerprint(server, [tenant.id])) !== before
}

it('every write to a table of the tenant changes the fingerprint', async () => {
  const values = [tenant.id, tenant.production]
  expect(await changes(`update environments set name = 'P' where tenant_id = $1 and id = $2`, values)).toBe(true)
  expect(await changes('delete from environments where tenant_id = $1 and id = $2', values)).toBe(true)
})

it('every write to a table without tenant_id changes the fingerprint', async () => {
  const id = '00000000-0000-4000-8000-000000000000'
  const insert = 'insert into sessions (id, account_id, created_at) values ($1, $2, now())'
  expect(await changes(insert, [id, tenant.owner.accountId])).toBe(true)
  expect(await changes('update sessions set revoked_at = now() where id = $1', [id])).toBe(true)
  expect(await changes('delete from sessions where id = $1', [id])).toBe(true)
})

it('a write to a row of another tenant, or of the time of last use, does not change the fingerprint', async () => {
  const other = await createTenant(server)
  expect(
    await changes(`update environments set name = 'P' where tenant_id = $1 and id = $2`, [other.id, other.production]),
  ).toBe(false)
  expect(
    await changes('update users set last_active_at = now() where tenant_id = $1 and id = $2', [
      tenant.id,
      tenant.owner.id,
    ]),
  ).toBe(false)
})
