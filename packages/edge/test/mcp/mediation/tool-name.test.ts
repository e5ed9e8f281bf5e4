import { isServerName, mcpToolName } from '@mandate/contract/fields/mcp-tool-name'
import { compilePattern, matches, parseToolName } from '@mandate/policy/pattern'
import { isToolName } from '@mandate/policy/tool-name'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

describe('the name of a tool in policies', () => {
  it.each([
    ['read_file', 'mcp:files/read_file'],
    ['admin.tools-list', 'mcp:files/admin.tools-list'],
    ['a/b', 'mcp:files/a%2Fb'],
    ['a%2Fb', 'mcp:files/a%252Fb'],
    ['*', 'mcp:files/%2A'],
    ['read file', 'mcp:files/read%20file'],
    ['löschen', 'mcp:files/l%C3%B6schen'],
    ['a\u0000b\n', 'mcp:files/a%00b%0A'],
    ['__proto__', 'mcp:files/__proto__'],
  ])('%j is %s', (tool, name) => expect(mcpToolName('files', tool)).toBe(name))

  it.each([[''], ['\ud800'], ['x'.repeat(191)], ['ü'.repeat(40)]])('%j has no name', (tool) => {
    expect(mcpToolName('files', tool)).toBeNull()
  })

  it('property: rules can match the name, `*` matches it, and no other tool has it', () => {
    const tool = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(tool, tool, (one, other) => {
        const name = mcpToolName('files', one)
        fc.pre(name !== null)
        expect(isToolName(name)).toBe(true)
        expect(parseToolName(name)).toMatchObject({ kind: 'mcp', namespace: 'files' })
        expect(matches(compilePattern('mcp:files/*'), name)).toBe(true)
        expect(mcpToolName('files', other) === name).toBe(one === other)
      }),
    )
  })
})

it.each([
  ['files', true],
  ['a.b-c_D9', true],
  ['', false],
  ['.', false],
  ['..', false],
  ['a/b', false],
  ['a*', false],
  ['a b', false],
  ['x'.repeat(65), false],
])('isServerName for %j is %s', (name, may) => expect(isServerName(name)).toBe(may))
