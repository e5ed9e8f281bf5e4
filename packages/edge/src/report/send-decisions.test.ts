import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { ControlPlaneAway } from '../control-plane/control-plane.ts'
import { sendDecisions } from './send-decisions.ts'
import type { DecisionRecord } from './spool.ts'

const decision: DecisionRecord = {
  decision_id: randomUUID(),
  agent_id: randomUUID(),
  tool: 'mcp:a/b',
  effect: 'allow',
  mode: 'enforce',
  policy_version: 1,
  args_digest: '',
  at: new Date().toISOString(),
}
const refusals = { file: '/nonexistent', maxBytes: 0 }
const send = (body: unknown) =>
  sendDecisions(
    { ask: async () => ({ status: 200, body }) },
    { decisions: [decision], kept: [] },
    refusals,
    pino({ level: 'silent' }),
  )

it('counts decisions as sent if the control plane confirms them', async () => {
  await send({ accepted: 0, duplicates: 1 })
})

it.each([undefined, null, {}, [], 'ok', { accepted: '1', duplicates: 0 }])(
  'keeps decisions if the answer does not confirm them: %j',
  async (body) => {
    await expect(send(body)).rejects.toThrow(ControlPlaneAway)
  },
)
