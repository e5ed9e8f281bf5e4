import { contentHash } from '@mandate/proofs/canonical'
import { expect, it } from 'vitest'
import { useEmptyDatabase } from '../../testing/use-empty-database.ts'
import { newId } from '../ids/new-id.ts'
import { migrate } from './migrate.ts'

const { url, owner } = useEmptyDatabase()

it('policies with data-loss prevention on get version 1 of the bindings; the others get none', async () => {
  await migrate(url, { upTo: '0049-decisions-by-kind.sql' })
  const [tenantId, on, off] = [newId(), newId(), newId()]
  await owner.query(
    `insert into tenants (id, name, plan, governance_gate, created_at) values ($1, 'old', 'pro', 'off', now())`,
    [tenantId],
  )
  for (const [id, isOn] of [
    [on, true],
    [off, false],
  ])
    await owner.query(
      `insert into policies (tenant_id, id, name, description, override_mode, default_effect, dlp_enabled, version, content_hash, created_at, updated_at)
       values ($1, $2, 'P', '', 'inherit', 'deny', $3, 1, '', now(), now())`,
      [tenantId, id, isOn],
    )
  expect(await migrate(url)).toContain('0051-default-bindings.sql')
  const { rows: policies } = await owner.query('select id, bindings_version, bindings_hash from policies order by id')
  const bindings = [
    { group: 'secrets', on: 'results', action: 'redact' },
    { group: 'secrets', on: 'arguments', action: 'require_approval' },
  ]
  const hash = contentHash({ bindings, patterns: [], version: 1 })
  expect(policies).toEqual([
    { id: on, bindings_version: 1, bindings_hash: hash },
    { id: off, bindings_version: 0, bindings_hash: null },
  ])
  const { rows: sets } = await owner.query(
    'select policy_id, version, bindings, content_hash from content_bindings_versions',
  )
  expect(sets).toEqual([{ policy_id: on, version: 1, bindings, content_hash: hash }])
})
