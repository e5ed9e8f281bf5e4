import { setTimeout as pause } from 'node:timers/promises'
import { fillDisk, fillFiles, limitFiles, mayMount } from '../acceptance/small-disk.ts'
import { untilAgain } from './agents-at-work.ts'
import { cutOff, heal } from './edge-fleet.ts'
import { databaseOf } from './faults.ts'
import type { Mood } from './faulty-tool-server.ts'
import type { GuardedWorld } from './guarded-world.ts'
import type { Kind, Outcome, Party } from './rule-ledger.ts'

/** A fault. `cause` resolves when the fault is over, and recovery must begin. `random` gives numbers from 0 to 1. */
export interface GuardFault {
  isPossible?: boolean
  /** Edges whose process ends during the fault. Each other edge must have the same process afterwards. */
  ends?: readonly ('http' | 'stdio')[]
  cause(world: GuardedWorld, random: () => number): Promise<void>
}

const faultMs = 1_500
/** An edge denies everything after five missed heartbeats, one a second. So some cuts are shorter, and some longer. */
const longestCutMs = 7_000

export const guardFaults: Record<string, GuardFault> = {
  'another definition of a pinned tool': {
    async cause(world) {
      world.tools.changeDefinition()
      const outcome = (agent: Party): [Party, Kind, Outcome] => [agent, 'quote', 'stopped by the rule']
      await untilAgain(world, world.agents.map(outcome))
    },
  },
  'another secret of the credential': { cause: (world) => world.rotate() },
  'kill -9 of the control plane': {
    async cause({ plane, logs }) {
      await plane.crash()
      logs.push(plane.server.output)
    },
  },
  'kill -9 of PostgreSQL': { cause: (world) => endDatabase(world, 'SIGKILL') },
  'an orderly restart of PostgreSQL': { cause: (world) => endDatabase(world, 'SIGINT') },
  'no connection of edges and control plane': {
    async cause({ http, stdio }, random) {
      for (const { proxy } of [http, stdio]) cutOff(proxy)
      await pause(longestCutMs * random())
      for (const { proxy } of [http, stdio]) heal(proxy)
    },
  },
  'a tool server that hangs': { cause: (world) => withMood(world, 'hangs') },
  'a tool server that fails': { cause: (world) => withMood(world, 'fails') },
  'a tool server that breaks off its answers': {
    ends: ['stdio'],
    async cause(world) {
      await withMood(world, 'breaks off')
      // It may be ending, because its tool server ended.
      await world.stdio.kill()
      await startEdges(world)
    },
  },
  'kill -9 of the edges': {
    ends: ['http', 'stdio'],
    async cause(world) {
      await killEdges(world)
      await startEdges(world)
    },
  },
  'kill -9 of the edges, and no connection to the control plane': {
    ends: ['http', 'stdio'],
    async cause(world) {
      const { http, stdio } = world
      await killEdges(world)
      for (const { proxy } of [http, stdio]) cutOff(proxy)
      await startEdges(world)
      await pause(faultMs)
      for (const { proxy } of [http, stdio]) heal(proxy)
    },
  },
  'a full disk of the edges': {
    isPossible: mayMount,
    cause: (world) => keepFull(world, fillDisk),
  },
  'a full disk of the edges, and kill -9': {
    isPossible: mayMount,
    ends: ['http', 'stdio'],
    async cause(world) {
      await keepFull(world, fillDisk, () => killEdges(world))
      await startEdges(world)
    },
  },
  'a disk of the edges that takes no more files, and kill -9': {
    isPossible: mayMount,
    ends: ['http', 'stdio'],
    async cause(world) {
      const endLimit = await limitFiles(world.disk ?? '')
      await keepFull(world, fillFiles, () => killEdges(world))
      endLimit()
      await startEdges(world)
    },
  },
}

/** Keeps the disk full for a while. Runs `last` before it makes room again. */
async function keepFull({ disk = '' }: GuardedWorld, fill: typeof fillFiles, last = async () => {}): Promise<void> {
  const makeRoom = []
  // Edges delete files that they have reported, which makes room.
  for (const from = performance.now(); performance.now() - from < faultMs; await pause(50))
    makeRoom.push(await fill(disk, `filler-${makeRoom.length}`))
  await last()
  for (const one of makeRoom) await one()
}

async function endDatabase({ plane }: GuardedWorld, signal: NodeJS.Signals): Promise<void> {
  process.kill(await databaseOf(plane.server), signal)
  await pause(faultMs / 2)
}

async function withMood({ tools }: GuardedWorld, mood: Mood): Promise<void> {
  tools.mood = mood
  await pause(faultMs)
  tools.mood = 'answers'
  tools.dropAll()
}

async function killEdges({ http, stdio }: GuardedWorld): Promise<void> {
  await Promise.all([http.kill(), stdio.kill()])
}

/** Starts the edges that do not run. A new process has seen no earlier definition. */
async function startEdges({ http, stdio, agents, tools, logs }: GuardedWorld): Promise<void> {
  const wasRunning = { http: http.running !== null, stdio: stdio.pid() !== null }
  for (const agent of agents)
    if (!(agent === stdio.agent ? wasRunning.stdio : wasRunning.http)) agent.seenChange = tools.change
  await Promise.all([http.start(), stdio.start()])
  if (!wasRunning.http && http.running) logs.push(http.running.output)
}
