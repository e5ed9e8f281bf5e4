import fc from 'fast-check'
import { expect, it } from 'vitest'
import { passServerText } from '../../../src/mcp/mediation/pass-server-text.ts'
import { DeclaredLists, filteredLists } from '../../../src/mcp/messages/list-changes.ts'
import { acknowledgedSubscription, changesFor } from '../../../src/mcp/messages/subscriptions.ts'
import { allowAll, policyGuard } from '../testing/policy-guard.ts'
import { startStdio } from '../testing/stdio-world.ts'

const log = { info: () => {}, warn: () => {} }
const passFor = (text: string, method: string, isClosed = false, lists = new DeclaredLists()) => {
  const guard = policyGuard(allowAll)
  if (isClosed) guard.shut({ code: 'no_profile', reason: 'closed' })
  const handshakeOf = () => (method === 'initialize' || method === 'ping' ? method : undefined)
  return passServerText(text, { guard, server: 'files', log, lists }, () => {}, handshakeOf)?.messages[0]
}
const capability = fc.oneof(fc.record({ listChanged: fc.boolean(), x: fc.jsonValue() }, { requiredKeys: [] }))
const capabilities = fc.record(
  { tools: capability, prompts: capability, resources: capability, logging: fc.constant({}) },
  { requiredKeys: [] },
)
const answerWith = (declared: object) => ({
  jsonrpc: '2.0',
  id: 1,
  result: { protocolVersion: '2025-11-25', capabilities: declared, serverInfo: { name: 'a', version: '1' } },
})

it('property: a server declares to clients that each of its lists can change, and they are told of these lists only', () => {
  fc.assert(
    fc.property(capabilities, fc.boolean(), (declared, isClosed) => {
      const answer = JSON.parse(JSON.stringify(answerWith(declared)))
      const expected = structuredClone(answer)
      const has = filteredLists.filter((list) => expected.result.capabilities[list])
      for (const list of has) expected.result.capabilities[list].listChanged = true
      const lists = new DeclaredLists()
      expect(passFor(JSON.stringify(answer), 'initialize', isClosed, lists)).toEqual(expected)
      expect(lists.changesOf('files').map(({ method }) => method)).toEqual(
        has.map((list) => `notifications/${list}/list_changed`),
      )
    }),
  )
})

it('property: a subscription is told of the lists that the server confirmed', () => {
  const asked = fc.record(
    { toolsListChanged: fc.jsonValue(), promptsListChanged: fc.jsonValue(), resourcesListChanged: fc.jsonValue() },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(asked, fc.oneof(fc.string(), fc.integer()), (notifications, id) => {
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
      const method = 'notifications/subscriptions/acknowledged'
      const acknowledged = acknowledgedSubscription({
        jsonrpc: '2.0',
        method,
        params: { notifications: notifications as Record<string, string>, _meta },
      })
      const covered = filteredLists.filter((list) => notifications[`${list}ListChanged`] === true)
      expect(acknowledged).toEqual({ id, lists: covered })
      expect(changesFor(id, covered)).toEqual(
        covered.map((list) => ({ jsonrpc: '2.0', method: `notifications/${list}/list_changed`, params: { _meta } })),
      )
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

it('a client that is told of changed lists was told at the handshake that this can happen', async () => {
  const guard = policyGuard(allowAll)
  const program = `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line)
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { capabilities: { tools: {}, resources: { subscribe: true } } } }))
    })`
  const edge = startStdio(program, { guard })
  edge.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })
  const declared = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } }
  expect(await edge.receive()).toMatchObject({ id: 1, result: { capabilities: declared } })
  edge.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  edge.send({ jsonrpc: '2.0', id: 2, method: 'ping' })
  await edge.receive()
  guard.change(allowAll)
  expect(await edge.receive()).toMatchObject({ method: 'notifications/tools/list_changed' })
  expect(await edge.receive()).toMatchObject({ method: 'notifications/resources/list_changed' })
  edge.stdin.end()
  await edge.code
})
