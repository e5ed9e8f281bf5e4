import fc from 'fast-check'
import { expect, it } from 'vitest'
import { listTools } from '../../../src/mcp/mediation/list-tools.ts'
import { passServerText } from '../../../src/mcp/mediation/pass-server-text.ts'
import type { JsonObject, JsonValue } from '../../../src/mcp/messages/json.ts'
import { ListPages } from '../../../src/mcp/messages/list-pages.ts'
import { isObject } from '../../../src/mcp/messages/read-message.ts'
import { allowAll, policyGuard } from '../testing/policy-guard.ts'

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

const mostPages = 1000
const files = { server: 'files' }
const page = (cursor?: JsonValue, method = 'tools/list') => ({
  method,
  ...(cursor !== undefined && { params: { cursor } }),
})

it('a request without a cursor, with null, or with an empty cursor is for the first page of a list', () => {
  const first: JsonObject[] = [page(), { method: 'tools/list', params: {} }, page(null), page('')]
  for (const request of first) {
    const pages = new ListPages()
    for (let n = 0; n <= mostPages; n++) expect(pages.ask(files, request)).toBe(true)
    for (let n = 1; n < mostPages; n++) expect(pages.ask(files, page('next'))).toBe(true)
    expect(pages.ask(files, page('next'))).toBe(false)
    expect(pages.ask(files, request)).toBe(true)
  }
})

it('an empty cursor is a further page at a server that names its next page so', () => {
  const pages = new ListPages()
  const guard = policyGuard(allowAll)
  const log = { info: () => {}, warn: () => {} }
  const text = '{"jsonrpc":"2.0","id":1,"result":{"tools":[],"nextCursor":""}}'
  passServerText(text, { guard, log, pages, ...files }, () => {})
  expect(pages.ask(files, page())).toBe(true)
  for (let n = 1; n < mostPages; n++) expect(pages.ask(files, page(''))).toBe(true)
  expect(pages.ask(files, page(''))).toBe(false)
  for (let n = 0; n <= mostPages; n++) expect(pages.ask({ server: 'other' }, page(''))).toBe(true)
})

it('a request with a cursor is for the first page if nobody asked for the list in the last minute', () => {
  let nowMs = 0
  const pages = new ListPages(() => nowMs)
  for (let n = 0; n < mostPages; n++) expect(pages.ask(files, page('next'))).toBe(true)
  nowMs = 60_000
  expect(pages.ask(files, page('next'))).toBe(false)
  nowMs = 60_001
  expect(pages.ask(files, page('next'))).toBe(true)
})

it('the pages of each session, server and list are counted apart', () => {
  const pages = new ListPages()
  const session = { ...files, sessionId: 'a' }
  for (let n = 0; n < mostPages; n++) expect(pages.ask(session, page('next'))).toBe(true)
  expect(pages.ask(session, page('next'))).toBe(false)
  expect(pages.ask({ ...files, sessionId: 'b' }, page('next'))).toBe(true)
  expect(pages.ask(files, page('next'))).toBe(true)
  expect(pages.ask({ server: 'other', sessionId: 'a' }, page('next'))).toBe(true)
  expect(pages.ask(session, page('next', 'prompts/list'))).toBe(true)
})

it('forgets the list that was not requested for the longest time, of more than 10,000', () => {
  const pages = new ListPages()
  const walked = { ...files, sessionId: 'walked' }
  const left = { ...files, sessionId: 'left' }
  for (let n = 0; n < mostPages; n++) {
    pages.ask(left, page('next'))
    pages.ask(walked, page('next'))
  }
  for (let n = 0; n < 9_999; n++) pages.ask({ ...files, sessionId: String(n) }, page())
  expect([pages.ask(walked, page('next')), pages.ask(left, page('next'))]).toEqual([false, true])
})
