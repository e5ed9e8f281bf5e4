import fc from 'fast-check'
import { expect, test } from 'vitest'
import { callOf, verdictOf } from './hook-verdict.ts'

test.each([
  ['Bash', 'fn:agent/Bash'],
  ['mcp__files__read', 'mcp:files/read'],
  ['mcp__a/b__c d', 'mcp:a%2Fb/c%20d'],
  ['mcp__files', 'fn:agent/mcp__files'],
  ['Bäsh', 'fn:agent/B%C3%A4sh'],
  ['a%2Fb', 'fn:agent/a%252Fb'],
])('asks about the tool %j as %j', (tool_name, tool) => {
  expect(callOf(JSON.stringify({ tool_name, tool_input: { a: 1 } }), 'agent')).toEqual({ tool, args: { a: 1 } })
})

test.each([
  ['mcp__a__b__c', ['mcp:a/b__c', 'mcp:a__b/c']],
  ['mcp__a___b', ['mcp:a/_b', 'mcp:a_/b']],
  ['mcp__a__b__c d__e', ['mcp:a/b__c%20d__e', 'mcp:a__b/c%20d__e', 'mcp:a__b__c%20d/e']],
  ['mcp__a__b__', ['mcp:a/b__']],
  ['mcp____a__b', ['mcp:__a/b']],
])('asks about the tool %j under every name it may have: %j', (tool_name, [tool, ...others]) => {
  const { other_tools = [], ...call } = callOf(JSON.stringify({ tool_name }), 'agent')
  expect([call, other_tools]).toEqual([{ tool, args: {} }, others])
})

test('splits server and tool at every double underscore', () => {
  const text = fc.string({ unit: fc.constantFrom('_', 'a', 'b'), minLength: 1, maxLength: 7 })
  fc.assert(
    fc.property(text, text, (server, name) => {
      const { tool, other_tools = [] } = callOf(JSON.stringify({ tool_name: `mcp__${server}__${name}` }), 'agent')
      const readings = [tool, ...other_tools]
      expect(readings).toContain(`mcp:${server}/${name}`)
      for (const reading of readings) expect(reading.slice(4).replace('/', '__')).toBe(`${server}__${name}`)
    }),
  )
})

test.each([`mcp__a${'__b'.repeat(17)}`, `mcp__${'_'.repeat(900)}`, 'mcp__a__\ud800', '\ud800'])(
  'rejects an incomplete name: %j',
  (tool_name) => expect(() => callOf(JSON.stringify({ tool_name }), 'agent')).toThrow(/The name of the tool/),
)

test('passes an argument named __proto__ on unchanged', () => {
  const input = '{"tool_name":"Read","tool_input":{"__proto__":{"path":"/etc"},"a":{"__proto__":1}}}'
  const asked = '{"tool":"fn:agent/Read","args":{"__proto__":{"path":"/etc"},"a":{"__proto__":1}}}'
  expect(JSON.stringify(callOf(input, 'agent'))).toBe(asked)
})

test.each([
  '{"tool_name":"Read","tool_input":{"id":1234567890123456789}}',
  '{"tool_name":"Read","tool_input":{"path":"/ok","path":"/etc"}}',
  '{"tool_name":"Read","tool_name":"Bash","tool_input":{}}',
  `{"tool_name":"Read","tool_input":{"a":${'['.repeat(200)}${']'.repeat(200)}}}`,
])('rejects an input that parsers read differently: %s', (input) => {
  expect(() => callOf(input, 'agent')).toThrow(/same key twice|cannot be represented|Nested deeper/)
})

const decided = { verdict: 'deny', enforced: true, reason: 'no', rule: null, policy_version: 1 }

test.each([
  ['allowed', { verdict: 'allow' }, true],
  ['denied and only watched', { enforced: false }, true],
  ['denied', {}, false],
  ['held', { verdict: 'require_approval' }, false],
])('handles a call that is %s', (_, change, expected) => {
  expect(verdictOf({ ...decided, ...change }).passes).toBe(expected)
})

test.each([
  [undefined],
  [null],
  ['allow'],
  [{}],
  [{ ...decided, verdict: 'maybe' }],
  [{ verdict: 'allow' }],
  [{ ...decided, enforced: 'no' }],
])('stops the call if the answer is not a decision: %j', (answer) => {
  expect(() => verdictOf(answer)).toThrow()
})

test.each([
  ['abc', { session_id: 'abc' }],
  ['', {}],
  [5, {}],
  ['x'.repeat(129), {}],
  ['a\0', {}],
])('passes a valid session id on, and no other: %j', (session_id, expected) => {
  const { tool: _tool, args: _args, ...more } = callOf(JSON.stringify({ tool_name: 'Bash', session_id }), 'a')
  expect(more).toEqual(expected)
})

test('the reason of a stopped call names the page about the decision, if the edge names it', () => {
  const denied = { verdict: 'deny', enforced: true, reason: 'no', rule: null }
  expect(verdictOf({ ...denied, page: 'https://mandate.example/decisions/d1' })).toEqual({
    passes: false,
    reason: 'Stopped by policy: no. See https://mandate.example/decisions/d1',
  })
  const ended = verdictOf({ ...denied, reason: 'Secrets stay.' })
  expect(ended).toEqual({ passes: false, reason: 'Stopped by policy: Secrets stay.' })
  expect(() => verdictOf({ ...denied, page: 1 })).toThrow("The edge's answer is not a decision")
})
