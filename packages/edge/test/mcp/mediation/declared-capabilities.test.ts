import fc from 'fast-check'
import { expect, it } from 'vitest'
import { passServerText } from '../../../src/mcp/mediation/pass-server-text.ts'
import { allowAll, policyGuard } from '../testing/policy-guard.ts'
import { startStdio } from '../testing/stdio-world.ts'

const log = { info: () => {}, warn: () => {} }
const passFor = (text: string, method: string, isClosed = false) => {
  const guard = policyGuard(allowAll)
  if (isClosed) guard.shut({ code: 'no_profile', reason: 'closed' })
  const handshakeOf = () => (method === 'initialize' || method === 'ping' ? method : undefined)
  return passServerText(text, { guard, server: 'files', log }, () => {}, handshakeOf)?.messages[0]
}
const capabilities = fc.record(
  {
    tools: fc.oneof(fc.record({ listChanged: fc.boolean(), x: fc.jsonValue() }, { requiredKeys: [] })),
    prompts: fc.record({ listChanged: fc.boolean() }),
    logging: fc.constant({}),
  },
  { requiredKeys: [] },
)
const answerWith = (declared: object) => ({
  jsonrpc: '2.0',
  id: 1,
  result: { protocolVersion: '2025-11-25', capabilities: declared, serverInfo: { name: 'a', version: '1' } },
})

it('property: a server with tools declares to clients that their list can change, and nothing else is added', () => {
  fc.assert(
    fc.property(capabilities, fc.boolean(), (declared, isClosed) => {
      const answer = JSON.parse(JSON.stringify(answerWith(declared)))
      const expected = structuredClone(answer)
      if (expected.result.capabilities.tools) expected.result.capabilities.tools.listChanged = true
      expect(passFor(JSON.stringify(answer), 'initialize', isClosed)).toEqual(expected)
    }),
  )
})

it('property: an answer to another request keeps its capabilities', () => {
  fc.assert(
    fc.property(capabilities, (declared) => {
      const text = JSON.stringify(answerWith(declared))
      expect(passFor(text, 'tools/call')).toEqual(JSON.parse(text))
    }),
  )
})

it('a client that is told of changed tools was told at the handshake that this can happen', async () => {
  const guard = policyGuard(allowAll)
  const program = `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line)
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { capabilities: { tools: {} } } }))
    })`
  const edge = startStdio(program, { guard })
  edge.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })
  expect(await edge.receive()).toMatchObject({ id: 1, result: { capabilities: { tools: { listChanged: true } } } })
  edge.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  edge.send({ jsonrpc: '2.0', id: 2, method: 'ping' })
  await edge.receive()
  guard.change(allowAll)
  expect(await edge.receive()).toMatchObject({ method: 'notifications/tools/list_changed' })
  edge.stdin.end()
  await edge.code
})
