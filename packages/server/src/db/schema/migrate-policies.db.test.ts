import { expect, it } from 'vitest'
import { useEmptyDatabase } from '../../testing/use-empty-database.ts'
import { newId } from '../ids/new-id.ts'
import { migrate } from './migrate.ts'

const { url, owner } = useEmptyDatabase()

it('policies whose names differ only in characters that nobody sees keep their names', async () => {
  await migrate(url, { upTo: '0081-owner-at-request.sql' })
  const tenantId = newId()
  await owner.query(
    `insert into tenants (id, name, plan, governance_gate, created_at) values ($1, 'old', 'pro', 'off', now())`,
    [tenantId],
  )
  const names = ['Race', 'Race\u200d', `${'\u{1d160}'.repeat(199)}\u200d`]
  for (const name of names)
    await owner.query(
      `insert into policies (tenant_id, id, name, description, override_mode, default_effect, dlp_enabled, version, content_hash, created_at, updated_at)
       values ($1, $2, $3, '', 'inherit', 'deny', false, 1, '', now(), now())`,
      [tenantId, newId(), name],
    )
  expect(await migrate(url)).toContain('0082-policies-by-visible-name.sql')
  const { rows } = await owner.query('select name, name_key as key from policies order by id')
  expect(rows.map(({ name }) => name)).toEqual(names)
  expect(rows.map(({ key }) => key)).toEqual(['Race', 'Race', '\u{1d158}\u{1d165}\u{1d16e}'.repeat(199)])
})
