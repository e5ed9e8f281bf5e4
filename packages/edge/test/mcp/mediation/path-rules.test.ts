import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Operator, PolicyDocument } from '@mandate/policy/types'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld } from '../testing/gateway-world.ts'
import { allowAll, policyGuard } from '../testing/policy-guard.ts'
import { filesystem } from '../testing/servers.ts'
import { plainClient } from '../testing/sessions.ts'

const secret = 'the pass phrase'
let home: string

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'paths-')))
  for (const folder of ['secrets', 'public/inner']) await mkdir(join(home, folder), { recursive: true })
  await writeFile(join(home, 'secrets/bank.txt'), secret)
  await writeFile(join(home, 'public/note.txt'), 'a note')
})
afterAll(() => rm(home, { recursive: true, force: true }))

const denies = (op: Operator, value: string): PolicyDocument => ({
  default_effect: 'allow',
  rules: [
    {
      id: 'r1',
      name: 'no secrets',
      priority: 1,
      enabled: true,
      effect: 'deny',
      reason: '',
      match: { tools: ['mcp:files/*'], when: [{ path: 'args.path', op, value }] },
    },
  ],
})

/** Spellings of one file, for the official file-system server. The first ones reach the file. */
const spellings: [string, (home: string) => string][] = [
  ['the plain path', (at) => `${at}/secrets/bank.txt`],
  ['two dots', (at) => `${at}/public/../secrets/bank.txt`],
  ['two dots twice', (at) => `${at}/public/inner/../../secrets/bank.txt`],
  ['two dots above the root', (at) => `/../..${at}/secrets/bank.txt`],
  ['two separators', (at) => `${at}//secrets/bank.txt`],
  ['two separators at the start', (at) => `/${at}/secrets/bank.txt`],
  ['a single dot', (at) => `${at}/./secrets/bank.txt`],
  ['a single dot below the folder', (at) => `${at}/secrets/./bank.txt`],
  ['a separator at the end', (at) => `${at}/secrets/bank.txt/`],
  ['a path from the home folder', () => '~/secrets/bank.txt'],
  ['a path from the home folder with two dots', (at) => `~/../${basename(at)}/secrets/bank.txt`],
  ['a relative path', () => 'secrets/bank.txt'],
  ['a relative path with a dot', () => './public/../secrets/bank.txt'],
  ['white space around it', (at) => ` ${at}/secrets/bank.txt `],
  ['quotes around it', (at) => `"${at}/secrets/bank.txt"`],
  ['a parent in another letter case', (at) => `${at}/SECRETS/bank.txt`],
  ['a percent code', (at) => `${at}/%73ecrets/bank.txt`],
  ['a URL', (at) => `file://${at}/secrets/bank.txt`],
  ['a URL with percent codes', (at) => `file://${at}/public/%2e%2e/secrets/bank.txt`],
]
const leading = 13
const literalNames = new Set(['a percent code'])

async function read(client: Client, path: string): Promise<{ text: string; isDenied: boolean }> {
  const { content, _meta } = await client.callTool({ name: 'read_text_file', arguments: { path } })
  return { text: JSON.stringify(content), isDenied: _meta?.['mandate/decision'] !== undefined }
}

async function withFiles(document: PolicyDocument, use: (client: Client) => Promise<void>): Promise<void> {
  const env = { HOME: home, PATH: process.env.PATH ?? '' }
  const files = { command: process.execPath, args: [filesystem, home], env, cwd: home }
  const world = await startWorld({ files }, { guard: policyGuard(document) })
  const client = plainClient()
  await client.connect(world.transport('files'))
  await use(client).finally(() => client.close())
  await world.close()
}

describe('a deny on a folder, before the official file-system server', () => {
  it('all spellings reach the file if no rule denies them', () =>
    withFiles(allowAll, async (client) => {
      for (const [what, spell] of spellings.slice(0, leading))
        expect((await read(client, spell(home))).text, what).toContain(secret)
    }))

  it('with `under` denies every spelling, for a path and a URL in the rule', async () => {
    for (const value of [join(home, 'secrets'), `file://${home}/secrets/`]) {
      await withFiles(denies('under', value), async (client) => {
        for (const [what, spell] of spellings) {
          const { text, isDenied } = await read(client, spell(home))
          expect(text, what).not.toContain(secret)
          // The server does not decode percent codes, so the path is another one.
          expect(isDenied, what).toBe(!literalNames.has(what))
        }
        expect(await read(client, join(home, 'public/note.txt'))).toMatchObject({ isDenied: false })
        expect((await read(client, join(home, 'public/../public/note.txt'))).text).toContain('a note')
      })
    }
  })

  it('with `starts_with` compares the text, so that some spellings pass', () =>
    withFiles(denies('starts_with', `${home}/secrets/`), async (client) => {
      const { text } = await read(client, `${home}/public/../secrets/bank.txt`)
      expect(text).toContain(secret)
    }))

  it('with another spelling of the folder, it cannot be listed', () =>
    withFiles(denies('under', join(home, 'secrets')), async (client) => {
      const list = (path: string) => client.callTool({ name: 'list_directory', arguments: { path } })
      for (const end of ['', '/', '//', '/.', ' ', '"', "'", '/../secrets', '\n'])
        expect(JSON.stringify(await list(`${home}/secrets${end}`)), end).not.toContain('bank.txt')
      expect(JSON.stringify(await list(dirname(join(home, 'public/note.txt'))))).toContain('note.txt')
    }))
})
