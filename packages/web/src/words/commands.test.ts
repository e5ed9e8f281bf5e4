import { expect, it } from 'vitest'
import { startEdge, tryCall } from './commands.ts'

const url = 'http://localhost:8080'

it('the key of an agent starts an edge for this agent', () => {
  expect(startEdge({ url, key: 'ak_1' })).toBe(
    'MANDATE_EDGE_KEY=ak_1 npx mandate edge run \\\n  --url http://localhost:8080',
  )
})

it('an edge with its demonstration server starts by one option more', () => {
  expect(startEdge({ url, key: 'ak_1', hasDemoServer: true })).toBe(
    'MANDATE_EDGE_KEY=ak_1 npx mandate edge run --demo-server \\\n  --url http://localhost:8080',
  )
})

it('the key of an edge starts it for the agents that the command names', () => {
  expect(startEdge({ url, key: 'ek_1', agents: ['a', 'b'] })).toMatch(/ \\\n {2}--agents a,b$/)
  expect(startEdge({ url, key: 'ek_1', agents: [] })).toMatch(/ \\\n {2}--agents <id of an agent>$/)
})

it('a call names the agent, and its id if a shell would change the name', () => {
  const agent = { id: '0190c7a2', name: 'release-notes' }
  const args = { path: 'draft.txt' }
  expect(tryCall(agent, 'mcp:files/write', args)).toBe(
    `npx mandate try --agent release-notes \\\n  mcp:files/write '{"path":"draft.txt"}'`,
  )
  expect(tryCall(agent, 'mcp:files/write', { text: "it's" })).toContain(`'{"text":"it\\u0027s"}'`)
  for (const name of ['two words', '$(id)', "it's", '-x', 'a;b', ''])
    expect(tryCall({ ...agent, name }, 'mcp:files/write', args)).toContain(`--agent ${agent.id} \\\n`)
})
