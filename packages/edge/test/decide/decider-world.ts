import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Effect, PolicyDocument } from '@mandate/policy/types'
import { type Logger, pino } from 'pino'
import { onTestFinished } from 'vitest'
import { AgentStanding } from '../../src/carry/agent-standing.ts'
import { type Clock, systemClock } from '../../src/carry/freshness.ts'
import { type ActiveProfile, readProfile } from '../../src/carry/read-profile.ts'
import { ContentGuard } from '../../src/content/content-guard.ts'
import { EnvironmentKey } from '../../src/content/content-key.ts'
import { type ControlPlane, ControlPlaneAway } from '../../src/control-plane/control-plane.ts'
import { Decider } from '../../src/decide/decider.ts'
import { HeldCalls } from '../../src/decide/held-calls.ts'
import { Delegations } from '../../src/delegations/delegations.ts'
import type { CurrentPins } from '../../src/inventory/environment-pins.ts'
import { RuleUseCounts } from '../../src/limits/rule-use-counts.ts'
import { Spool } from '../../src/report/spool.ts'
import type { SessionSplit } from '../../src/sessions/session-key.ts'
import { Sessions } from '../../src/sessions/sessions.ts'
import { StateSeal } from '../../src/state/state-seal.ts'

export const agentId = '6f0f4b7e-9d0c-4f55-8a53-0c1f8a4f8b11'
const lapse = { missedBeats: 5, keptWhenAway: new Set<string>(), intervalMs: () => 1000 }
export const keys = { signed: async () => true, explain: async () => '' }
const away = { ask: () => Promise.reject(new ControlPlaneAway('gone')) }

let versions = 0

export function profileOf(policy: PolicyDocument, mode = 'enforce', more: object = {}): Promise<ActiveProfile> {
  versions++
  const agent = { agent_id: agentId, agent_name: 'agent', status: 'active', environment: null }
  const profile = { ...agent, governance_mode: mode, policy_id: agentId, policy }
  const signed = { policy_version: versions, profile_hash: `hash ${versions}`, profile_seq: versions, signature: '' }
  return readProfile({ ...profile, ...signed, issued_at: new Date().toISOString(), ...more }, agentId, null, keys)
}

export const all = (default_effect: Effect): PolicyDocument => ({ default_effect, rules: [] })

export function rulesFor(effects: Record<string, Effect>): PolicyDocument {
  const rules = Object.entries(effects).map(([tool, effect], priority) => {
    return { id: tool, name: '', priority, enabled: true, effect, match: { tools: [tool], when: [] }, reason: effect }
  })
  return { default_effect: 'allow', rules }
}

const noDelegations = {
  keys: { ...keys, signedByKnown: () => false },
  ended: { current: () => null, learn: async () => {} },
  now: () => performance.now(),
}

interface WorldOptions {
  shared?: string
  split?: SessionSplit
  delegations?: Delegations
  showArguments?: boolean
  log?: Logger
  /** The control plane that gets requests for approvals. Without it, none can be reached. */
  plane?: ControlPlane
}

/** Creates a decider with a profile and its own spool. `shared` is a folder that has the sessions and the uses of rules of several deciders. */
export async function world(
  profile: ActiveProfile,
  clock: Clock = systemClock,
  {
    shared,
    split = 'agent',
    delegations = new Delegations(noDelegations),
    showArguments = true,
    log = pino({ level: 'silent' }),
    plane = away,
  }: WorldOptions = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-decider-'))
  // A clock that stands still. Otherwise a test that runs across a full minute has records in two reporting windows, and `next` reads only one.
  const openedMs = Date.now()
  const spool = await Spool.open(join(folder, 'spool'), {
    agentIds: [agentId],
    maxBytes: 1e9,
    fsync: 'each',
    offsetMs: 0,
    now: () => openedMs,
  })
  onTestFinished(async () => {
    await spool.close()
    await rm(folder, { recursive: true, force: true })
  })
  const standing = new AgentStanding(agentId, { ...lapse, clock })
  standing.hold(profile, clock())
  const heldCalls = await HeldCalls.open(folder, plane, true, new StateSeal('ek_test'))
  const seal = new StateSeal('ek_test')
  const content = new ContentGuard()
  onTestFinished(() => content.close())
  const key = new EnvironmentKey({ plane: away, seal, seat: folder, log })
  const sessions = await Sessions.open(shared ?? folder, { clock: systemClock })
  const pins: { current: CurrentPins } = { current: null }
  const ruleUses = new RuleUseCounts(shared ?? folder, { now: () => clock().wallMs, log, isSynced: false })
  onTestFinished(() => ruleUses.close())
  const decider = new Decider(standing, {
    spool,
    heldCalls,
    content,
    key,
    sessions,
    split,
    ruleUses,
    pins,
    showArguments,
    delegations,
    log,
  })
  /** Gives the edge the key of the environment for digests, as an earlier fetch leaves it on disk. */
  const giveKey = () => {
    const text = JSON.stringify({ environment_id: agentId, key: Buffer.alloc(32, 7).toString('base64') })
    return seal.replace(seal.fileIn(folder, 'content-key'), 'content key', text)
  }
  const recorded = async () => (await spool.next(100, 1e6))?.records.map(({ tool, effect }) => [tool, effect])
  const records = async () => (await spool.next(100, 1e6))?.records
  const kept = async () => (await spool.next(100, 1e6))?.kept
  return { standing, decider, giveKey, pins, sessions, spool, recorded, records, kept }
}
