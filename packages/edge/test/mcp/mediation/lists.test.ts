import fc from 'fast-check'
import { expect, it } from 'vitest'
import { listTools } from '../../../src/mcp/mediation/list-tools.ts'
import type { JsonObject, JsonValue } from '../../../src/mcp/messages/json.ts'
import { ListPages } from '../../../src/mcp/messages/list-pages.ts'
import { isObject } from '../../../src/mcp/messages/read-message.ts'

const open = { closing: () => null }

/** Lists the tools of a server whose pages name these cursors, and returns the cursors that were asked for. */
async function asked(cursorAfter: (cursor: JsonValue | undefined) => JsonValue | undefined): Promise<unknown[]> {
  const cursors: unknown[] = []
  const ask = async ({ params }: JsonObject) => {
    const cursor = isObject(params) ? params.cursor : undefined
    cursors.push(cursor)
    const nextCursor = cursorAfter(cursor)
    return { jsonrpc: '2.0', id: 1, result: { tools: [], ...(nextCursor !== undefined && { nextCursor }) } }
  }
  await listTools(open, ask, {})
  return cursors
}

it('property: a list of tools ends at an empty cursor and at one that repeats, and no page is read twice', async () => {
  const cursor = fc.oneof(fc.constant(''), fc.string(), fc.integer(), fc.constant(false))
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(cursor, { minLength: 1, maxLength: 20 }), fc.nat(), async (cursors, back) => {
      // The last page leads back to an earlier one.
      const after = new Map(cursors.map((one, index) => [one, cursors[index + 1] ?? cursors[back % cursors.length]]))
      const pages = await asked((from) => (from === undefined ? cursors[0] : after.get(from as string)))
      const end = cursors.indexOf('')
      expect(pages).toEqual([undefined, ...cursors.slice(0, end < 0 ? cursors.length : end)])
    }),
  )
})

it('a list whose cursors never repeat is too long after a hundred pages', async () => {
  let last = 0
  await expect(asked(() => `page ${++last}`)).rejects.toThrow('more than 100 pages')
})

it('a request without a cursor, or with null, is for the first page of a list', () => {
  const first: JsonObject[] = [{}, { params: {} }, { params: { cursor: null } }]
  for (const params of first) {
    const pages = new ListPages()
    const request = { method: 'tools/list', ...params }
    for (let n = 0; n < 1001; n++) expect(pages.ask('files', request)).toBe(true)
    for (let n = 0; n < 999; n++) expect(pages.ask('files', { ...request, params: { cursor: '' } })).toBe(true)
    expect(pages.ask('files', { ...request, params: { cursor: 'next' } })).toBe(false)
  }
})
