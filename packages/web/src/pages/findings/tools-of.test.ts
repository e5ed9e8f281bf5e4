import { expect, test } from 'vitest'
import { toolsOf } from './tools-of.ts'

test('names each changed tool once, and none for other findings', () => {
  const items = [
    { tool_id: '1', tool: 'mcp:files/read', hash: 'a' },
    { tool_id: '1', tool: 'mcp:files/read', hash: 'b' },
    { tool_id: '2', tool: 'mcp:files/write', hash: 'c' },
    { tool: 'mcp:files/other' },
  ]
  expect(toolsOf({ type: 'tool_definition_changed', evidence: { items } })).toEqual([
    { id: '1', tool: 'mcp:files/read' },
    { id: '2', tool: 'mcp:files/write' },
  ])
  expect(toolsOf({ type: 'tool_definition_changed', evidence: {} })).toEqual([])
  expect(toolsOf({ type: 'decision_gap', evidence: { items } })).toEqual([])
})
