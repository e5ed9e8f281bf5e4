import { expect, it } from 'vitest'
import { knownTools } from './known-tools.ts'

const row = (key: string, allow: number, deny = 0) => ({ key, allow, deny, require_approval: 0 })

it('offers each called tool, and a pattern for a place with several tools', () => {
  const rows = [
    row('mcp:files/read', 5),
    row('mcp:mail/send', 3),
    row('mcp:files/write', 1, 1),
    row('other', 9),
    row('none', 2),
  ]
  expect(knownTools(rows)).toEqual([
    { pattern: 'mcp:files/*', calls: 7 },
    { pattern: 'mcp:files/read', calls: 5 },
    { pattern: 'mcp:mail/send', calls: 3 },
    { pattern: 'mcp:files/write', calls: 2 },
  ])
})
