import { v7 } from 'uuid'
import { expect, it } from 'vitest'
import { makeCtx } from '../../caller/ctx.ts'
import { actorOf, addAgent, createTenant } from '../../testing/arrange.ts'
import { addEdge } from '../../testing/arrange-agents.ts'
import { useTestServer } from '../../testing/use-test-server.ts'
import { countDecisions24h } from './count-decisions.ts'

const server = useTestServer()

const minuteMs = 60_000
const hourMs = 60 * minuteMs

it('counts whole hours and the minutes of the first hour that are within the last 24 hours', async () => {
  const tenant = await createTenant(server)
  const edge = await addEdge(server, tenant.id, tenant.development)
  const agent_id = await addAgent(server, tenant.id, { environmentId: tenant.development })
  const call = { agent_id, tool: 'mcp:a/b', mode: 'enforce', policy_version: null, args_digest: 'd' }
  // The middle of an hour, so that a part of the first hour is not within the last 24 hours.
  const now = Math.floor(Date.now() / hourMs) * hourMs - 30 * minuteMs
  const decisions = [
    ['allow', 24 * hourMs + minuteMs],
    ['allow', 24 * hourMs + 29 * minuteMs],
    ['deny', 24 * hourMs],
    ['deny', 23 * hourMs + 31 * minuteMs],
    ['require_approval', 23 * hourMs + 29 * minuteMs],
    ['deny', 12 * hourMs],
    ['deny', 0],
  ].map(([effect, ago]) => ({
    ...call,
    decision_id: v7(),
    effect,
    at: new Date(now - Number(ago)).toISOString(),
  }))
  expect((await edge.post('/edge/decisions', { decisions })).status).toBe(202)
  const owner = actorOf(tenant)
  const request = { id: 'count', ip: '', userAgent: '' }
  const ctx = makeCtx(server.services, owner, request, { now: new Date(now).toISOString() })
  expect(await countDecisions24h(ctx)).toEqual({ allow: 0, deny: 4, require_approval: 1 })
})
