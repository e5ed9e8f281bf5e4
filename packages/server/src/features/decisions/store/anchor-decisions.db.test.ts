import { v7 } from 'uuid'
import { beforeEach, describe, expect, it } from 'vitest'
import { addAgent, auditEntries, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge } from '../../../testing/arrange-agents.ts'
import { SigningEdge } from '../../../testing/signing-edge.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { anchorAll } from './anchor-decisions.ts'

const server = useOwnServer()
let tenant: TestTenant
let agentId: string
let edge: SigningEdge

beforeEach(async () => {
  tenant = await createTenant(server)
  agentId = await addAgent(server, tenant.id, { environmentId: tenant.development })
  edge = await SigningEdge.start(await addEdge(server, tenant.id, tenant.development))
})

async function record(count = 1) {
  const decisions = Array.from({ length: count }, () => ({
    decision_id: v7(),
    agent_id: agentId,
    tool: 'mcp:files/read',
    effect: 'allow',
    mode: 'enforce',
    policy_version: null,
    args_digest: 'd',
    at: new Date().toISOString(),
  }))
  expect((await edge.record(...decisions)).status).toBe(202)
}

/** The anchors in the audit trail, oldest first. */
const anchors = async () =>
  (await auditEntries(server, tenant.id))
    .filter(({ event_type }) => event_type === 'edge.decisions_anchored')
    .map(({ details }) => details)
const head = () => ({ kid: edge.kid, ...edge.head })
const daysAhead = (days: number) => new Date(Date.now() + days * 24 * 60 * 60_000).toISOString()
const run = (days: number) => anchorAll(server.services, daysAhead(days))

describe('edge.decisions_anchored', () => {
  it('is recorded with the first batch of a day, and by the job on a later day', async () => {
    await record()
    const first = head()
    await record(2)
    await run(0)
    expect(await anchors()).toEqual([first])
    await run(1)
    await run(1)
    expect(await anchors()).toEqual([first, head()])
    await run(2)
    expect(await anchors()).toHaveLength(2)
  })

  it('is recorded once if the clock of one instance is already on the next day', async () => {
    await record()
    await record()
    await run(1)
    expect(await anchors()).toHaveLength(2)
    await record()
    await run(0)
    await record()
    await run(1)
    expect(await anchors()).toHaveLength(2)
    await run(2)
    expect((await anchors()).at(-1)).toEqual(head())
  })
  it('is recorded by the job after a fork, also if the number of the last record is not higher', async () => {
    await record(4)
    const [anchored, empty] = [{ ...edge.head }, { seq: 0, hash: '0'.repeat(64) }]
    edge.head = empty
    await record(2)
    await run(1)
    expect((await anchors()).at(-1)).toEqual(head())
    await record(2)
    expect(edge.head).toMatchObject({ seq: 4 })
    expect(edge.head.hash).not.toBe(anchored.hash)
    await run(2)
    expect((await anchors()).at(-1)).toEqual(head())
    expect(await anchors()).toHaveLength(3)
  })
})
