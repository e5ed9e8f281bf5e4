import { expect, test } from 'vitest'
import { callOf, verdictOf } from './hook-verdict.ts'

test.each([
  ['Bash', 'fn:agent/Bash'],
  ['mcp__files__read', 'mcp:files/read'],
  ['mcp__my-files__read__all', 'mcp:my-files/read__all'],
  ['mcp__a/b__c d', 'mcp:a%2Fb/c%20d'],
  ['mcp__files', 'fn:agent/mcp__files'],
  ['Bäsh', 'fn:agent/B%C3%A4sh'],
  ['a%2Fb', 'fn:agent/a%252Fb'],
])('the tool %j is asked about as %j', (tool_name, tool) => {
  expect(callOf(JSON.stringify({ tool_name, tool_input: { a: 1 } }), 'agent')).toEqual({ tool, args: { a: 1 } })
})

test.each([
  '{"tool_name":"Read","tool_input":{"id":1234567890123456789}}',
  '{"tool_name":"Read","tool_input":{"path":"/ok","path":"/etc"}}',
  '{"tool_name":"Read","tool_name":"Bash","tool_input":{}}',
  `{"tool_name":"Read","tool_input":{"a":${'['.repeat(200)}${']'.repeat(200)}}}`,
])('an input that parsers read differently is no call: %s', (input) => {
  expect(() => callOf(input, 'agent')).toThrow(/same key twice|cannot be carried|Nested deeper/)
})

const decided = { verdict: 'deny', enforced: true, reason: 'no', rule: null, policy_version: 1 }

test.each([
  ['allowed', { verdict: 'allow' }, true],
  ['denied and only watched', { enforced: false }, true],
  ['denied', {}, false],
  ['held', { verdict: 'require_approval' }, false],
])('a call that is %s', (_, change, expected) => {
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
])('an answer that is no decision lets nothing pass: %j', (answer) => {
  expect(() => verdictOf(answer)).toThrow()
})
