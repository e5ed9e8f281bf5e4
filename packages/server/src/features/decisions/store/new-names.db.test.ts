import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { lockNewNames, storeNewNames } from '../counts/count-queries.ts'
import type { Kind } from '../records/kinds.ts'

const server = useTestServer()

const names = Array.from({ length: 3000 }, (_, n) => `mcp:tool/${n}`)
const kindOf = (tool: string): Kind => ({
  id: randomUUID(),
  totalId: randomUUID(),
  environmentId: null,
  policyId: null,
  policyVersion: null,
  ruleId: null,
  tool,
  effect: 'allow',
  mode: 'enforce',
})

it.each([
  ['tools', names, []],
  ['kinds', [], names.map(kindOf)],
] as const)(
  'two requests store the same %s in opposite orders, before and after midnight, without a deadlock',
  async (_, tools, kinds) => {
    for (let round = 0; round < 5; round++) {
      const tenant = await createTenant(server)
      const store = (day: string, newTools: readonly string[], newKinds: readonly Kind[]) =>
        server.services.db.transaction(tenant.id, async (tx) => {
          await lockNewNames(tx, day)
          await storeNewNames(tx, day, newTools, newKinds)
        })
      await Promise.all([
        store('2026-01-01T00:00:00.000Z', tools, kinds),
        store('2026-01-02T00:00:00.000Z', tools.toReversed(), kinds.toReversed()),
      ])
      const { rows } = await server.owner.query(
        `select (select count(*)::int from decision_tools where tenant_id = $1) as tools,
         (select count(*)::int from decision_kinds where tenant_id = $1) as kinds`,
        [tenant.id],
      )
      expect(rows).toEqual([{ tools: tools.length, kinds: kinds.length }])
    }
  },
)
