// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what a servers file holds.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readServers } from './read-servers.ts'

async function read(text: string, env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-servers-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'servers.json')
  await writeFile(file, text)
  return await readServers(file, env)
}

test('variables of the environment are put in, and texts for those that are not set', async () => {
  const given = { url: '${BASE}/mcp', headers: { authorization: 'Bearer ${TOKEN}', 'x-team': '${TEAM:-none}' } }
  const env = { BASE: 'https://tickets.example', TOKEN: 't$1', TEAM: '' }
  const { tickets } = await read(JSON.stringify({ servers: { tickets: { ...given, timeout_seconds: 5 } } }), env)
  const headers = { authorization: 'Bearer t$1', 'x-team': 'none' }
  expect(tickets).toMatchObject({ url: 'https://tickets.example/mcp', headers, timeoutMs: 5000 })
})

test('a started server may have a timeout too', async () => {
  const { files } = await read('{"servers":{"files":{"command":"x","timeout_seconds":90}}}')
  expect(files).toMatchObject({ command: 'x', timeoutMs: 90_000 })
  await expect(read('{"servers":{"files":{"command":"x","timeout_seconds":0}}}')).rejects.toThrow('timeout_seconds')
})

test('a variable that is not set is named', async () => {
  const servers = { tickets: { url: 'https://tickets.example', headers: { authorization: 'Bearer ${TOKEN}' } } }
  await expect(read(JSON.stringify({ servers }))).rejects.toThrow('the environment variable TOKEN is not set')
})

test('two servers with one name are refused', async () => {
  const two = '{"servers":{"a":{"command":"x"},"a":{"command":"y"}}}'
  await expect(read(two)).rejects.toThrow('each server needs a name of its own')
})

test('what is no JSON is refused, and nothing of it is repeated', async () => {
  const text = '{"servers":{"a":{"url":"https://a.example","headers":{"authorization":secret}}}}'
  const message = await read(text).catch((error: Error) => error.message)
  expect(message).toContain('it is not valid JSON')
  expect(message).not.toContain('secret')
})
