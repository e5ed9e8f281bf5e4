import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FreezeNotice, Heartbeat } from '@mandate/contract/edge'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { AgentStanding } from '../../src/carry/agent-standing.ts'
import { Carrier } from '../../src/carry/carrier.ts'
import { recallSeats } from '../../src/carry/load-profiles.ts'
import { openProfileFiles, type ProfileFiles } from '../../src/carry/profile-files.ts'
import { type Answer, ControlPlaneAway, ControlPlaneRefused } from '../../src/control-plane/control-plane.ts'
import { readInstance } from '../../src/state/instance-record.ts'
import { StateSeal } from '../../src/state/state-seal.ts'

export const agentId = '6f0f4b7e-9d0c-4f55-8a53-0c1f8a4f8b11'
export const tenantId = '01980000-0000-7000-8000-00000000aaaa'
export const missedMs = 6000

export const profileOf = (hash: string, seq: number): Answer => ({
  status: 200,
  body: {
    agent_id: agentId,
    agent_name: 'agent',
    status: 'active',
    environment: null,
    governance_mode: 'enforce',
    policy_id: agentId,
    policy_version: seq,
    policy: { default_effect: 'allow', rules: [] },
    profile_hash: hash,
    profile_seq: seq,
    issued_at: new Date().toISOString(),
    signature: 'good',
  },
})
export const naming = (hash: string): Answer => {
  const agent = { agent_id: agentId, profile_hash: hash, policy_id: null, policy_version: null }
  return { status: 200, body: { interval_s: 1, agents: [agent] } }
}
/** A heartbeat answer with freezes or drills. `seq` is the number of the profile that it names. */
export const freezing = (hash: string, seq: number, ...freezes: Partial<FreezeNotice>[]): Answer => {
  const agent = { agent_id: agentId, profile_hash: hash, policy_id: null, policy_version: null, profile_seq: seq }
  const named = freezes.map((freeze, n) => {
    const id = `01980000-0000-7000-8000-00000000000${n}`
    return { id, scope: 'organization', agent_id: null, environment_id: null, drill: false, ...freeze }
  })
  return { status: 200, body: { interval_s: 1, agents: [agent], freezes: named } }
}
export const frozenProfile = (hash: string, seq: number): Answer => {
  const { status, body } = profileOf(hash, seq)
  const denied = { policy_id: null, policy_version: null, policy: { default_effect: 'deny', rules: [] } }
  return { status, body: { ...(body as object), ...denied, denied_because: 'frozen' } }
}
export const freezeId = '01980000-0000-7000-8000-000000000000'
export const servingNobody: Answer = { status: 200, body: { interval_s: 1, agents: [] } }
export const keyRefused = new ControlPlaneRefused(401, 'no')
export const away = new ControlPlaneAway('gone')

type Said = Answer | Error | Promise<Answer>

/**
 * Creates a carrier for one agent. The agent's policy stays in force while the control plane cannot be reached. The carrier
 * can be started again.
 */
export async function world(keptWhenAway: 'all' | ReadonlySet<string> = 'all') {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-carrier-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const seat = join(folder, '1')
  const says: { beat: Said; profile: Said; profiles: Said; isSigned: boolean } = {
    beat: naming('h1'),
    profile: profileOf('h1', 1),
    profiles: away,
    isSigned: true,
  }
  const seal = new StateSeal('ek_test')
  const seats = ['1', '2', '3'].map((name) => join(folder, name))
  const filesIn = new Map<string, ProfileFiles>()
  for (const one of seats) filesIn.set(one, await openProfileFiles(one, seal))
  const log: Record<string, unknown>[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(JSON.parse(line)) })
  const beats: Heartbeat[] = []
  const said: unknown[] = []
  /** The agents that the disk named as not confirmed, at the moment when each freeze was confirmed. */
  const overdueAtFreeze: unknown[] = []
  const instanceFile = seal.fileIn(seat, 'instance')
  const overdueOnDisk = () => JSON.parse(JSON.parse(readFileSync(instanceFile, 'utf8')).text).overdue
  let aheadMs = 0
  const clock = () => ({ wallMs: Date.now() + aheadMs, monotonicMs: performance.now() + aheadMs })
  /** Starts the edge in the seat with this number, from 1. */
  async function start(number = 1) {
    const seat = seats[number - 1] as string
    const files = filesIn.get(seat) as ProfileFiles
    const instance = await readInstance(seat, seal)
    const others = await recallSeats(
      seats.filter((other) => other !== seat),
      seal,
    )
    const lapse = { missedBeats: 5, keptWhenAway, intervalMs: () => instance.intervalMs, clock }
    const standing = new AgentStanding(agentId, lapse)
    const carrier = new Carrier({
      plane: {
        async ask({ path, body }) {
          if (path === '/edge/heartbeat') beats.push(body as Heartbeat)
          const said = path === '/edge/heartbeat' ? says.beat : path === '/edge/profiles' ? says.profiles : says.profile
          if (said instanceof Error) throw said
          return said
        },
      },
      keys: { signed: async () => says.isSigned, explain: async () => 'its signature is not valid' },
      files,
      others,
      agents: new Map([[agentId, standing]]),
      log: logger,
      edgeVersion: '0',
      confirmations: {
        noteProfile: (profile) => said.push(profile),
        noteFreeze(id) {
          overdueAtFreeze.push(overdueOnDisk())
          said.push({ freeze: id })
        },
      },
      seat,
      seal,
      instance,
      clock,
    })
    await carrier.load()
    await carrier.beat()
    return { standing, carrier }
  }
  const files = filesIn.get(seat) as ProfileFiles
  return {
    says,
    start,
    folder,
    seal,
    files,
    instanceFile,
    log,
    beats,
    said,
    overdueAtFreeze,
    pass: (ms: number) => (aheadMs += ms),
  }
}

export const fetching = (...profiles: Answer[]): Answer => ({
  status: 200,
  body: { data: profiles.map(({ body }) => body), unchanged: [], remaining: [] },
})
export const notChanged: Answer = { status: 200, body: { data: [], unchanged: [agentId], remaining: [] } }
export const freezeEvent = (rest = {}) => ({
  id: freezeId,
  scope: 'agent',
  agent_id: agentId,
  drill: false,
  lifted: false,
  at: '2026-03-02T08:00:00.000Z',
  signature: 'good',
  ...rest,
})
