import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { endpoints } from '@mandate/contract/endpoints'
import { describe, expect, it } from 'vitest'
import { operationsWithoutPage } from './operations-without-page.ts'

const sources = join(import.meta.dirname, '..')
const matrix = join(import.meta.dirname, '../../../../docs/access-matrix.md')
const isSource = (name: string) =>
  /\.tsx?$/.test(name) && !name.endsWith('.test.ts') && !name.endsWith('without-page.ts')
const text = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter(isSource)
  .map((name) => readFileSync(join(sources, name), 'utf8'))
  .join('\n')

/** The functions that call an operation. Their first argument is its id. A list of reads that an event changes calls nothing. */
const callers = ['read', 'useList', 'useWrite', 'write', 'client.call', 'client.open']

/** Operations that change something and are called without `write`. Each has the reason. */
const calledAlone = {
  signIn: 'no page is open',
  register: 'no page is open',
  exchange: 'no page is open',
  acceptInvitation: 'no page is open',
  signOut: 'the tab forgets everything',
  removeMyself: 'the tab forgets everything',
  deleteTenant: 'the tab forgets everything',
  revokeSession: 'the tab forgets everything, if the session is its own',
  verifyEmail: 'changes only the session',
  simulatePolicy: 'changes nothing',
  createPolicy: 'the first agent, which is created next, lets the pages follow',
  changeAgents: 'the pages follow after the last of several requests',
  createAgent: 'the first run shows the key before the pages follow',
}

/** What the SDK calls by itself. */
const bySdk = { streamEvents: 'events(client', refresh: "session: 'cookie'" }

/** True if a source has the address in a text, such as the `href` of a link. */
function hasAddress({ path, method, absolute }: Endpoint): boolean {
  if (method !== 'GET') return false
  const address = absolute ? path : `/api/v1${path}`
  const pattern = address.replaceAll(/[.$]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/\'"\\s]+')
  return new RegExp(`(?:basePath|serverUrl\\(\\))\\}${pattern}[\`?$]`).test(text)
}

function usedOperations(): Set<string> {
  const called = new RegExp(
    `(?<!\\w|(?<!\\.\\.)\\.)(?:${callers.join('|').replaceAll('.', '\\.')})\\(\\s*'(\\w+)'`,
    'g',
  )
  const used = new Set([...text.matchAll(called)].map((match) => match[1] as string))
  for (const [id, mark] of Object.entries(bySdk)) if (text.includes(mark)) used.add(id)
  for (const [id, endpoint] of Object.entries(endpoints)) if (hasAddress(endpoint)) used.add(id)
  return used
}

describe('every operation of the API', () => {
  const used = usedOperations()

  it('is used by the dashboard, or has a reason why not', () => {
    const unused = Object.keys(endpoints).filter((id) => !used.has(id))
    expect(unused.toSorted()).toEqual(Object.keys(operationsWithoutPage).toSorted())
  })

  it('is called by a function that lets the pages follow, if it changes something', () => {
    const called = [...text.matchAll(/client\.call\(\s*'(\w+)'/g)].map((match) => match[1] as keyof typeof endpoints)
    const writes = called.filter((id) => endpoints[id].method !== 'GET')
    expect([...new Set(writes)].toSorted()).toEqual(Object.keys(calledAlone).toSorted())
  })

  it('has a reason of one or two sentences, if the dashboard does not use it', () => {
    for (const [id, reason] of Object.entries(operationsWithoutPage)) expect(reason, id).toMatch(/^[A-Z].{20,}\.$/)
  })

  it('is called by an id that the API has', () => {
    expect([...used].filter((id) => !(id in endpoints))).toEqual([])
  })

  it('is read somewhere, if an event makes its answer stale', () => {
    const reads = Object.entries(endpoints).filter(([, { method }]) => method === 'GET')
    const named = reads.filter(([id]) => text.includes(`'${id}'`)).map(([id]) => id)
    expect(named.filter((id) => !used.has(id))).toEqual([])
  })

  it('has the path of PUBLIC_URL in front of its address', () => {
    expect(text.match(/['"`]\/(?:api\/v1|docs|getting-started)\b.*/g)).toBeNull()
  })

  it('is called by the functions that this test knows', () => {
    const generic = /function (\w+)<O extends \w*Operation\w*>/g
    const declared = [...text.matchAll(generic)].map((match) => match[1] as string)
    // They get the operation from a function that this test knows.
    const inner = ['listQuery']
    expect(declared.filter((name) => !callers.includes(name) && !inner.includes(name))).toEqual([])
    expect(declared.length).toBeGreaterThan(3)
  })
})

const title = '## Operations without a page'

function render(): string {
  const rows = Object.entries(operationsWithoutPage).map(([id, reason]) => {
    const { method, path } = endpoints[id as keyof typeof endpoints] as Endpoint
    return `| ${method} ${path} | ${reason} |`
  })
  return [
    title,
    '',
    'The [dashboard](dashboard.md) uses every operation of the API, except these. A test compares this list with the code of the dashboard.',
    '',
    '| Endpoint | Why no page uses it |',
    '|---|---|',
    ...rows,
    '',
  ].join('\n')
}

it('docs/access-matrix.md lists the operations without a page', async () => {
  const [before = ''] = (await readFile(matrix, 'utf8')).split(`\n${title}\n`)
  await expect(`${before.trimEnd()}\n\n${render()}`).toMatchFileSnapshot(matrix)
})
