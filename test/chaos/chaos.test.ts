import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, expect, onTestFailed, test, vi } from 'vitest'
import { register } from '../acceptance/call-api.ts'
import { must } from '../concurrency/world.ts'
import { findLost } from '../crash/find-lost.ts'
import type { Writers } from '../crash/writers.ts'
import { findBroken } from '../invariants/find-broken.ts'
import { faults } from './faults.ts'
import type { Scene } from './scene.ts'

const rounds = Number(process.env.ROUNDS ?? 50)
const recoverySeconds = Number(process.env.RECOVERY_SECONDS ?? 10)
const secondsARound = 90

interface Row {
  fault: string
  rounds: number
  acknowledged: number
  lost: number
  'mails sent / asked for': string
  answers: string
  'slowest recovery, s': string
}
const table: Row[] = []
afterAll(() => console.table(table))

for (const [name, fault] of Object.entries(faults)) {
  test.skipIf(!fault.isPossible)(
    `${name}, repeated under load with running jobs: loses no acknowledged write, crashes no process, and recovers`,
    async () => {
      const scene = await fault.arrange()
      onTestFailed(() => console.log(warningsOf(scene)))
      const { writers, mails } = scene
      const asked: string[] = []
      let slowestMs = 0
      for (let round = 1; round <= rounds; round++) {
        await untilWritten(writers, 60)
        mails.holdAll()
        asked.push(...(await askForMail(scene)))
        await pause(Math.random() * 1_000)
        const isKilled = name.endsWith('of the server')
        const { pid } = scene.server
        await fault.cause(scene)
        if (!isKilled) expect(scene.server.pid, 'the server must not crash').toBe(pid)
        const from = performance.now()
        setTimeout(() => mails.takeAll(), 500)
        await untilWritten(writers, 120)
        slowestMs = Math.max(slowestMs, performance.now() - from)
        process.kill(scene.server.pid, 0)
      }
      mails.takeAll()
      await writers.stop()
      const { tenantId } = scene
      const client = await connectTo(scene)
      try {
        const lost = await findLost(client, tenantId, writers.acknowledged)
        const count = Object.values(writers.acknowledged).reduce((sum, list) => sum + list.length, 0)
        const isSent = async () => {
          const { rows } = await client.query(`select count(*)::int as left from graphile_worker.jobs
            where task_identifier = 'send_mail'`)
          expect(rows[0].left).toBe(0)
        }
        await vi.waitFor(isSent, { timeout: 120_000, interval: 500 })
        table.push({
          fault: name,
          rounds,
          acknowledged: count,
          lost: lost.length,
          'mails sent / asked for': `${mails.taken.length} / ${asked.length}`,
          answers: JSON.stringify(writers.answers),
          'slowest recovery, s': (slowestMs / 1000).toFixed(1),
        })
        console.table(table.slice(-1))
        expect(lost).toEqual([])
        expect(writers.unexpected).toEqual([])
        expect(await findBroken(client, tenantId)).toEqual({})
        expect(mails.taken).toEqual(expect.arrayContaining(asked))
      } finally {
        await client.end()
      }
      const verify = () => must(scene.target, 200, 'GET', '/audit/verify', { credential: scene.target.key })
      expect(await vi.waitFor(verify, { timeout: 60_000 })).toMatchObject({ valid: true })
      expect(slowestMs / 1000).toBeLessThan(recoverySeconds)
      expect(await scene.server.stop()).toMatchObject({ code: 0 })
    },
    (rounds * secondsARound + 300) * 1000,
  )
}

/**
 * Registers a new address, so that a mail job runs when the fault comes. Every address is new, because the server limits mails to
 * one address.
 * @returns the address in a list, or an empty list if the registration was not acknowledged
 */
async function askForMail({ target }: Scene): Promise<string[]> {
  const email = `${randomUUID()}@example.com`
  const acknowledged = await register(target, email).catch(() => null)
  await pause(200)
  return acknowledged ? [email] : []
}

async function connectTo(scene: Scene): Promise<pg.Client> {
  return await vi.waitFor(
    async () => {
      const client = new pg.Client({ connectionString: await scene.ownerUrl() })
      client.on('error', () => {})
      await client.connect()
      return client
    },
    { timeout: 60_000, interval: 200 },
  )
}

/** The server's last warnings. */
function warningsOf({ server }: Scene): string {
  const warnings = server.log().filter(({ level }) => Number(level) >= 40)
  return warnings
    .slice(-60)
    .map((line) => JSON.stringify(line).slice(0, 400))
    .join('\n')
}

/** Waits until the server acknowledges a new write of every kind. */
async function untilWritten({ acknowledged }: Writers, seconds: number): Promise<void> {
  const counts = () => Object.values(acknowledged).map((list) => list.length)
  const before = counts()
  const hasNew = () => {
    const now = counts()
    if (before.some((count, kind) => now[kind] === count)) throw new Error(`no new writes: ${before} and ${now}`)
  }
  await vi.waitFor(hasNew, { timeout: seconds * 1000, interval: 20 })
}
