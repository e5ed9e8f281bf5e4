import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { ControlPlaneAway, controlPlaneAt } from '../src/control-plane/control-plane.ts'
import { AskedTools } from '../src/listen/decide-route.ts'
import { OfferedTools } from '../src/mcp/mediation/offered-tools.ts'
import { sendDecisions } from '../src/report/send-decisions.ts'
import { allowAll, policyGuard } from './mcp/testing/policy-guard.ts'

/** A control plane that sends the same answer to every request. */
async function planeThatAnswers(status: number, body: string) {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return controlPlaneAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'key')
}

it('rejects an answer of the control plane over 8 MiB', async () => {
  const plane = await planeThatAnswers(200, JSON.stringify('x'.repeat(9 << 20)))
  await expect(plane.ask({ path: '/' })).rejects.toThrow(ControlPlaneAway)
})

it('puts refused decisions aside up to a limit, and then keeps them in the spool', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-refused-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const plane = await planeThatAnswers(400, '{"error":"no"}')
  const refusals = { file: join(folder, 'refused.ndjson'), maxBytes: 1000 }
  const at = new Date().toISOString()
  const decision = { decision_id: 'd', agent_id: 'a', tool: 'fn:a/b', effect: 'deny', mode: 'enforce' } as const
  const record = { ...decision, policy_version: 1, args_digest: '', at }
  const send = () => sendDecisions(plane, { decisions: [record], kept: [] }, refusals, pino({ level: 'silent' }))
  await send()
  refusals.maxBytes = 2 * (await readFile(refusals.file)).length
  await send()
  await expect(send()).rejects.toThrow('is full of refused decisions')
  expect((await readFile(refusals.file, 'utf8')).trim().split('\n')).toHaveLength(2)
})

it.each([
  [
    'asked about',
    (guard: ReturnType<typeof policyGuard>, tools: string[]) => {
      const asked = new AskedTools(guard)
      for (const tool of tools) asked.note(tool)
    },
  ],
  [
    'offered by servers',
    (guard: ReturnType<typeof policyGuard>, tools: string[]) => {
      new OfferedTools(guard, ['files']).note(
        { server: 'files' },
        tools.map((name) => ({ name, mirrored: [] })),
      )
    },
  ],
])('keeps a thousand of the tools that are %s', (_what, note) => {
  const guard = policyGuard(allowAll)
  note(
    guard,
    Array.from({ length: 1100 }, (_, n) => `mcp:files/t${n}`),
  )
  expect(guard.attested.at(-1)?.tools).toHaveLength(1000)
})

it('does not attest a tool name that no rule can match, but attests the caller', () => {
  const guard = policyGuard(allowAll)
  const asked = new AskedTools(guard)
  asked.note('fn:a/b', 'sdk.guard')
  asked.note('fn:a/\0')
  expect(guard.attested.at(-1)).toEqual({
    mode: 'partial',
    tools: ['fn:a/b'],
    mediationPoints: ['edge.decide', 'sdk.guard'],
  })
})
