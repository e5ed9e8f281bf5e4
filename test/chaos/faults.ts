import { setTimeout as pause } from 'node:timers/promises'
import { vi } from 'vitest'
import { hasRedis } from '../../packages/server/src/testing/redis.ts'
import { type RunningMandate, startMandate } from '../acceptance/mandate-process.ts'
import { fillDisk, mayMount } from '../acceptance/small-disk.ts'
import { embeddedScene, proxiedScene, type Scene } from './scene.ts'

/** A fault. `cause` resolves when recovery must begin: immediately, or after the fault ends. */
export interface Fault {
  isPossible: boolean
  arrange(): Promise<Scene>
  cause(scene: Scene): Promise<void>
}

/** Process id of the embedded PostgreSQL, read from the server's log. Waits, because the last start may be logged late. */
export async function databaseOf(server: RunningMandate): Promise<number> {
  return await vi.waitFor(() => {
    const { pid } = server.database()
    process.kill(pid, 0)
    return pid
  })
}

const onEmbedded = { isPossible: true, arrange: () => embeddedScene(false) }
const onNetwork = { isPossible: true, arrange: proxiedScene }

export const faults: Record<string, Fault> = {
  'kill -9 of the server': {
    ...onEmbedded,
    async cause(scene) {
      process.kill(scene.server.pid, 'SIGKILL')
      await scene.server.ended
      scene.server = await startMandate(scene.settings)
      scene.target.url = scene.server.url
    },
  },
  'kill -9 of PostgreSQL': {
    ...onEmbedded,
    async cause({ server }) {
      process.kill(await databaseOf(server), 'SIGKILL')
    },
  },
  'an orderly restart of PostgreSQL': {
    ...onEmbedded,
    async cause({ server }) {
      process.kill(await databaseOf(server), 'SIGINT')
    },
  },
  'silence of database connections': {
    ...onNetwork,
    async cause({ database }) {
      database?.silence()
    },
  },
  'reset of database connections': {
    ...onNetwork,
    async cause({ database }) {
      database?.reset()
    },
  },
  'a database network that swallows everything for 3 s': {
    ...onNetwork,
    async cause({ database }) {
      if (!database) return
      database.isBlackHole = true
      await pause(3_000)
      database.isBlackHole = false
    },
  },
  'database latency of 300 ms for 3 s': {
    ...onNetwork,
    async cause({ database }) {
      if (!database) return
      database.latencyMs = 300
      await pause(3_000)
      database.latencyMs = 0
    },
  },
  'a hanging Redis for 3 s': {
    isPossible: hasRedis,
    arrange: proxiedScene,
    async cause({ redis }) {
      if (!redis) return
      redis.isBlackHole = true
      await pause(3_000)
      redis.isBlackHole = false
    },
  },
  'a full disk for 3 s': {
    isPossible: mayMount,
    arrange: () => embeddedScene(true),
    async cause({ disk }) {
      if (!disk) return
      const makeRoom = await fillDisk(disk)
      await pause(3_000)
      await makeRoom()
    },
  },
}
