import { contentHash } from '@mandate/proofs/canonical'
import { describe, expect, it } from 'vitest'
import { createTenant } from '../../../testing/arrange.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { recordMissingHistories } from './record-missing-histories.ts'

const server = useOwnServer()

describe('a policy that existed before versioning', () => {
  it('gets version 1 from its current state, once, even if two instances record it at the same time', async () => {
    const [tenant, other] = await Promise.all([createTenant(server), createTenant(server)])
    const rules = [{ priority: 3, effect: 'deny', match: { tools: ['mcp:a/*'] } }]
    const { body: old } = await tenant.owner.api.post('/policies', { name: 'Old', rules })
    const { body: young } = await other.owner.api.post('/policies', { name: 'Young' })
    await server.owner.query('delete from policy_versions where policy_id = $1', [old.id])
    await server.owner.query(`update policies set content_hash = '', version = 0 where id = $1`, [old.id])

    const recorded = await Promise.all([1, 2].map(() => recordMissingHistories(server.services.db)))
    expect(recorded[0]! + recorded[1]!).toBe(1)
    expect(await recordMissingHistories(server.services.db)).toBe(0)

    const { body: first } = await tenant.owner.api.get(`/policies/${old.id}/versions/1`)
    expect(first).toMatchObject({
      produced_by: 'created',
      saved_by: { user_id: null, display_name: 'system', email: '' },
      snapshot: { name: 'Old', rules: old.rules },
      diff: null,
    })
    expect(first.content_hash).toBe(contentHash(first.snapshot))
    expect((await tenant.owner.api.get(`/policies/${old.id}`)).body).toMatchObject({ version: 1, rules: old.rules })
    expect((await tenant.owner.api.put(`/policies/${old.id}`, { name: 'Now' })).body.version).toBe(2)
    expect((await other.owner.api.get(`/policies/${young.id}/versions`)).body.total).toBe(1)
  })
})
