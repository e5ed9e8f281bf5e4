import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { register } from '../acceptance/call-api.ts'
import { type RunningMandate, startMandate, temporaryFolder } from '../acceptance/mandate-process.ts'
import { must, rule } from '../concurrency/world.ts'
import { findBroken, withOwner } from '../invariants/find-broken.ts'
import { findLost } from './find-lost.ts'
import { startWriters, type Target, type Writers } from './writers.ts'

const crashes = Number(process.env.CRASHES ?? 30)
const settings = { MANDATE_API_RATE: '1000000000', MANDATE_EDGE_RATE: '1000000000', MANDATE_AUTH_THROTTLE: 'off' }
const secondsACrash = 60
// No call may take longer. A database start is faster than this.
const longestAnswerMs = 20_000

interface Scene {
  server: RunningMandate
  target: Target
  writers: Writers
}

/** Each function kills its process and resolves when the server runs again. */
const victims: Record<string, (scene: Scene) => Promise<void>> = {
  async 'the server'(scene) {
    process.kill(scene.server.pid, 'SIGKILL')
    await scene.server.ended
    scene.server = await startMandate({ ...settings, DATA_DIR: scene.server.dataDir })
    scene.target.url = scene.server.url
  },
  async PostgreSQL({ server }) {
    process.kill(server.database().pid, 'SIGKILL')
  },
  async 'a backend of PostgreSQL'({ server }) {
    const backends = backendsOf(server.database().pid)
    const victim = backends[Math.floor(Math.random() * backends.length)]
    if (victim !== undefined) process.kill(victim, 'SIGKILL')
  },
}

test.each(Object.keys(victims))(
  'repeated kill -9 of %s under load loses no acknowledged write, leaves no partial write, and recovers by itself',
  async (victim) => {
    const server = await startMandate({ ...settings, DATA_DIR: await temporaryFolder() })
    const { tenantId, target } = await arrange(server)
    const scene: Scene = { server, target, writers: startWriters(target) }
    const { writers } = scene
    for (let crash = 1; crash <= crashes; crash++) {
      await untilWritten(writers)
      await pause(Math.random() * 1000)
      await victims[victim]?.(scene)
      await untilWritten(writers)
      if (crash % 10 === 0) console.log(`${crash} of ${crashes}: ${JSON.stringify(writers.answers)}`)
    }
    await writers.stop()
    expect(writers.unexpected).toEqual([])
    // Calls get no response only if the server itself is killed.
    if (victim !== 'the server') expect(writers.answers).not.toHaveProperty('none')
    expect(writers.slowestMs).toBeLessThan(longestAnswerMs)
    await onceBack(() =>
      withOwner(scene.server.dataDir, async (client) => {
        expect(await findLost(client, tenantId, writers.acknowledged)).toEqual([])
        expect(await findBroken(client, tenantId)).toEqual({})
      }),
    )
    const verify = () => must(target, 200, 'GET', '/audit/verify', { credential: target.key })
    const verdict = await vi.waitFor(verify, { timeout: 60_000 })
    expect(verdict).toMatchObject({ valid: true })
    expect(verdict.entries).toBeGreaterThan(writers.acknowledged.agents.length + writers.acknowledged.versions.length)
    expect(await scene.server.stop()).toMatchObject({ code: 0 })
  },
  crashes * secondsACrash * 1000,
)

async function arrange(server: RunningMandate): Promise<{ tenantId: string; target: Target }> {
  const { tenantId, credential: session } = await register(server)
  const { raw_key: key } = await must(server, 201, 'POST', '/api-keys', { body: { name: 'load' }, credential: session })
  const post = (path: string, body: unknown) => must(server, 201, 'POST', path, { body, credential: key })
  const { data: environments } = await must(server, 200, 'GET', '/environments', { credential: key })
  const environmentId = environments[0].id
  const { edge_key: edgeKey } = await post('/edges', { name: 'edge', environment_id: environmentId })
  const { agent } = await post('/agents', { name: 'deciding', environment_id: environmentId })
  const policies = ['one', 'two', 'three'].map((name) => post('/policies', { name, rules: [rule('first', 0)] }))
  const policyIds = (await Promise.all(policies)).map(({ id }) => id)
  return { tenantId, target: { url: server.url, key, edgeKey, environmentId, agentId: agent.id, policyIds } }
}

/** Repeats a check, because PostgreSQL may notice the kill late and restart during the first check. */
async function onceBack(look: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 30_000
  for (;;) {
    try {
      return await look()
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string }
      const isAway = /^(57P|ECONN|ENOENT)/.test(code) || /^(Connection terminated|no embedded database)/.test(message)
      if (!isAway || Date.now() > deadline) throw error
      await pause(100)
    }
  }
}

/** Waits until the server acknowledges a new write of every kind. */
async function untilWritten({ acknowledged }: Writers): Promise<void> {
  const counts = () => Object.values(acknowledged).map((list) => list.length)
  const before = counts()
  await vi.waitFor(
    () => {
      const now = counts()
      if (before.some((count, kind) => now[kind] === count)) throw new Error(`no new writes: ${before} and ${now}`)
    },
    { timeout: 60_000, interval: 20 },
  )
}

/** Process ids of the PostgreSQL backends that serve the application's role. If one is killed, PostgreSQL restarts all of them. */
function backendsOf(postmaster: number): number[] {
  const listed = execFileSync('ps', ['--ppid', String(postmaster), '-o', 'pid=,args='], { encoding: 'utf8' })
  return listed
    .split('\n')
    .filter((line) => line.includes('mandate'))
    .map((line) => Number.parseInt(line, 10))
}
