import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Reply, serve } from '@mandate/sdk/testing/serve'
import { expect, onTestFinished, test } from 'vitest'

const program = join(import.meta.dirname, '../../bin/mandate.js')
const policyId = '0190a3c5-7e00-7000-8000-000000000001'

/** A control plane without policies, which saves new ones, and sends an event for each connection to its stream. */
function answer({ method, url, body }: { method: string; url: string; body: string }): Reply {
  if (url.includes('/events/stream')) {
    const text = 'id: 1\nevent: agent.changed\ndata: {"id":"1","type":"agent.changed"}\n\n'
    return { status: 200, text, headers: { 'content-type': 'text/event-stream' } }
  }
  if (method === 'GET') return { status: 200, body: { data: [] } }
  return { status: 201, body: { ...JSON.parse(body), id: policyId, version: 1, environment_id: null } }
}

/** Runs a command whose output and messages nobody reads. Returns its exit code and its folder with two policies. */
async function run(...args: string[]) {
  const { url } = await serve(answer)
  const folder = await mkdtemp(join(tmpdir(), 'mandate-closed-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const files = ['a', 'b'].map((name) => join(folder, `${name}.yaml`))
  for (const file of files) await writeFile(file, `name: ${file}\nenvironment: null\nrules: []\n`)
  const env = { MANDATE_URL: url, MANDATE_API_KEY: `mk_${'0'.repeat(64)}` }
  const child = spawn(process.execPath, [program, ...args], { cwd: folder, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdout.destroy()
  child.stderr.destroy()
  const [code] = await once(child, 'exit')
  return { code, texts: await Promise.all(files.map((file) => readFile(file, 'utf8'))) }
}

test('a push finishes its work if nobody reads its output', async () => {
  const { code, texts } = await run('policies', 'push', 'a.yaml', 'b.yaml')
  expect(code).toBe(0)
  for (const text of texts) expect(text).toMatch(`id: ${policyId}\nversion: 1\n`)
})

test('a comparison has its exit code if nobody reads its output', async () => {
  expect((await run('policies', 'diff', 'a.yaml', 'b.yaml')).code).toBe(2)
})

test('a tail ends if nobody reads its output', async () => {
  expect((await run('events', 'tail')).code).toBe(0)
})

test.skipIf(!existsSync('/dev/full'))('a command fails if its output cannot be written', async () => {
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [program, '--version'], { stdio: ['ignore', full, 'pipe'] })
  closeSync(full)
  const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stderr!)])
  expect([code, said]).toEqual([
    1,
    'mandate: standard output cannot be written: ENOSPC: no space left on device, write\n',
  ])
})
