import { join } from 'node:path'
import type { Logger } from 'pino'
import { agentGuard } from './agent-guard.ts'
import { AgentStanding, type Lapse } from './carry/agent-standing.ts'
import { Carrier } from './carry/carrier.ts'
import { Confirmations } from './carry/confirmations.ts'
import { type Clock, systemClock } from './carry/freshness.ts'
import { type HeartbeatLoop, startHeartbeats } from './carry/heartbeat-loop.ts'
import { recallSeats } from './carry/load-profiles.ts'
import { openProfileFiles } from './carry/profile-files.ts'
import { SigningKeys } from './carry/signing-keys.ts'
import type { EdgeConfig } from './config.ts'
import { ContentGuard } from './content/content-guard.ts'
import { EnvironmentKey } from './content/content-key.ts'
import { AgentRequests } from './control-plane/agent-requests.ts'
import { ControlPlaneRefused, controlPlaneAt, QuietTime, untilStopped } from './control-plane/control-plane.ts'
import { DashboardAddress } from './control-plane/dashboard-address.ts'
import { planeStreamsAt } from './control-plane/plane-stream.ts'
import { CredentialStore } from './credentials/credential-store.ts'
import type { CredentialSource } from './credentials/server-secrets.ts'
import { Decider } from './decide/decider.ts'
import { HeldCalls } from './decide/held-calls.ts'
import { delegateOn } from './delegations/delegate-on.ts'
import { Delegations } from './delegations/delegations.ts'
import { EndedKnowledge } from './delegations/ended-delegations.ts'
import type { Guard } from './guard/guard.ts'
import { EnvironmentPins } from './inventory/environment-pins.ts'
import { ToolReports } from './inventory/tool-reports.ts'
import { RuleUseCounts } from './limits/rule-use-counts.ts'
import type { DelegateOn } from './listen/delegate-route.ts'
import type { AgentHealth } from './listen/health.ts'
import { type LocalTokens, openLocalTokens } from './listen/local-tokens.ts'
import { ApprovalNews } from './push/approval-news.ts'
import type { PushLimits } from './push/push-stream.ts'
import { Push } from './push/receive-push.ts'
import { AdoptedSpools } from './report/adopt-spools.ts'
import { Attestations } from './report/attestations.ts'
import { BackOff } from './report/back-off.ts'
import { DecisionSigning } from './report/decision-signing.ts'
import { KeyRegistration } from './report/key-registration.ts'
import { Reporter } from './report/reporter.ts'
import { SeatKeys } from './report/seat-keys.ts'
import { windowOffset } from './report/segment-name.ts'
import { Spool } from './report/spool.ts'
import { Sessions } from './sessions/sessions.ts'
import { readInstance } from './state/instance-record.ts'
import { openState } from './state/open-state.ts'
import { agentsToServe } from './state/own-agent.ts'
import { sharedClock } from './state/shared-clock.ts'
import { StateSeal } from './state/state-seal.ts'
import { edgeVersion } from './version.ts'

/** A running edge. */
export interface Edge {
  agentIds: readonly string[]
  /** Creates a guard for the tool calls of an agent. @throws if the edge does not serve the agent */
  guardFor(agentId: string): Guard
  tokens: LocalTokens
  /** Passes a part of a delegation on for an agent that holds it. @throws the errors of `delegateOn` in `delegations/` */
  delegateOn: DelegateOn
  /** News of approvals that calls wait for. */
  approvals: ApprovalNews
  /** The credentials of tool servers. */
  credentials: CredentialSource
  /** The state of each agent. */
  health(): readonly AgentHealth[]
  /** Sends a heartbeat now and applies the changes in its answer. */
  refresh(): Promise<void>
  close(): Promise<void>
}

export interface EdgeTiming extends TestTiming {
  /** Aborts if the edge is to stop. During the start, requests to the control plane end then. */
  stopping?: AbortSignal | undefined
}

/** For tests: other times than those of the product. */
interface TestTiming {
  clock?: Clock
  /** Waits of the stream. */
  pushLimits?: Partial<PushLimits>
  /** How long the next heartbeat waits for its answer. */
  heartbeatMs?: (() => number) | undefined
}

/**
 * Starts the edge: sends heartbeats, decisions and reports to the control plane. Resolves after the first heartbeat. If the
 * first heartbeat fails, the edge decides by the profiles on disk.
 * @throws if the state folder cannot be used, or if the settings name no agent and the control plane does not say which agent
 * the edge's key belongs to
 */
export async function startEdge(config: EdgeConfig, log: Logger, timing: EdgeTiming = {}): Promise<Edge> {
  try {
    return await start(config, log, timing)
  } catch (error) {
    throw explainFullDisk(error, config.stateDir)
  }
}

async function start(
  given: EdgeConfig,
  log: Logger,
  { clock = systemClock, pushLimits = {}, heartbeatMs, stopping }: EdgeTiming,
): Promise<Edge> {
  const state = await openState(given.stateDir)
  let onKeyRefused: (error: ControlPlaneRefused) => void = () => {}
  const quiet = new QuietTime()
  let starting = stopping
  const plane = untilStopped(
    controlPlaneAt(given.controlPlane, given.key, quiet, (error) => onKeyRefused(error)),
    () => starting,
  )
  const agentIds = await agentsToServe(given, state.shared, plane).catch((error: unknown) => {
    state.release()
    throw error
  })
  const config = { ...given, agentIds }
  const seal = new StateSeal(config.key, (file) =>
    log.error({ file }, 'ignoring a file in the state folder: it was not written with this key, or was changed later'),
  )
  const instance = await readInstance(state.seat, seal)
  const keys = await SigningKeys.open(state.shared, plane, config.signingKeySha256, seal)
  const { missedBeats, keptWhenAway } = config
  const lapse: Lapse = { missedBeats, keptWhenAway, intervalMs: () => instance.intervalMs, clock }
  const now = () => clock().wallMs
  const offsetMs = windowOffset(instance.instanceId)
  const seatKeys = await SeatKeys.read({ seat: state.seat, seal, agentIds, log })
  const { kid } = await seatKeys.open()
  const spool = await Spool.open(join(state.seat, 'spool'), {
    kid,
    keys: seatKeys,
    maxBytes: config.spoolBytes,
    agentIds: config.agentIds,
    fsync: config.fsync,
    offsetMs,
    now,
  })
  const registration = new KeyRegistration({ plane, trusted: keys, log })
  const startChain = (next: string) => spool.startChain(next)
  const signing = new DecisionSigning({ own: seatKeys, registration, startChain, log })
  const adopted = new AdoptedSpools({ state, spool, signing, seal, agentIds, log })
  const tokens = await openLocalTokens(state.shared, config.agentIds, config.localToken)
  const requests = new AgentRequests()
  const heldCalls = await HeldCalls.open(state.seat, plane, config.showArguments, seal, requests)
  const isSynced = config.fsync === 'each'
  // A test's clock does not go with the clock of the machine.
  const clockOfMachine = clock === systemClock ? sharedClock() : null
  const sessions = await Sessions.open(state.shared, { clock, isSynced, sharedClock: clockOfMachine })
  const ruleUses = new RuleUseCounts(state.shared, {
    now,
    log,
    isSynced,
    clock: clockOfMachine,
  })
  const content = new ContentGuard()
  const key = new EnvironmentKey({ plane, seal, seat: state.seat, log })
  const agents = new Map(config.agentIds.map((id) => [id, new AgentStanding(id, lapse)]))
  const backOff = new BackOff()
  let push: Push | null = null
  const onAnswer = () => {
    backOff.answered()
    push?.retryNow()
  }
  const confirmations = new Confirmations({
    plane,
    instanceId: instance.instanceId,
    key: async (signal) => (seatKeys.current ? await signing.keyFor(seatKeys.current.kid, signal) : null),
    renewKey: (kid, signal) => signing.renew(kid, signal),
    clock,
    log,
  })
  const credentials = new CredentialStore({
    plane,
    log,
    now: () => clock().monotonicMs,
    isPrivateAllowed: config.privateTokenUrls,
  })
  const placed = {
    tenantId: () => firstOf(agents, ({ profile }) => profile?.tenantId),
    environmentId: () => firstOf(agents, ({ profile }) => profile?.environment.id as string | undefined),
  }
  const otherSeats = await state.others()
  const pins = new EnvironmentPins({
    plane,
    keys,
    seal,
    seat: state.seat,
    otherSeats,
    log,
    ...placed,
    onChange: () => {
      for (const standing of agents.values()) standing.tellPins()
    },
  })
  const ended = new EndedKnowledge({
    ...placed,
    plane,
    keys,
    seal,
    seat: state.seat,
    otherSeats,
    instance,
    missedBeats,
    clock,
    log,
  })
  const delegations = new Delegations({ keys, ended, now: () => clock().monotonicMs })
  const dashboard = new DashboardAddress()
  const toolReports = new ToolReports({ plane, log, now: () => clock().monotonicMs })
  const parts = {
    plane,
    credentials,
    pins,
    dashboard,
    delegations: ended,
    keys,
    instance,
    agents,
    clock,
    confirmations,
    log,
    edgeVersion,
    seal,
    seat: state.seat,
    heartbeatMs,
  }
  const carrier = new Carrier({
    ...parts,
    files: await openProfileFiles(state.seat, seal),
    // The files of a seat that an edge with another credential used last do not match the seal. That is no reason to log them.
    others: await recallSeats(otherSeats, new StateSeal(config.key)),
    onAnswer,
  })
  const spreadMs = Math.min(config.agentIds.length * msPerFirstClaim, longestSpreadMs)
  const served = new Map(
    [...agents].map(([id, standing]) => {
      const decider = new Decider(standing, {
        showArguments: config.showArguments,
        spool,
        heldCalls,
        content,
        key,
        sessions,
        split: config.sessions,
        ruleUses,
        pins,
        delegations,
        dashboard,
        log,
      })
      const attestations = new Attestations(id, { plane, log, edgeVersion, spreadMs })
      return [id, { standing, decider, attestations, toolReports }]
    }),
  )
  const refusals = { file: join(state.seat, 'refused.ndjson'), maxBytes: 64 * 1_048_576 }
  const adopt = () => adopted.adopt()
  const reporter = new Reporter({ plane, spool, signing, backOff, adopt, refusals, agentIds, offsetMs, now, log })

  await carrier.load()
  await pins.load([...agents.values()].some(({ profile }) => profile?.document.pins !== undefined))
  await ended.load()
  const first = await carrier.beat()
  if (first.changed) await carrier.beat()
  await Promise.all([pins.settled(), ended.settled()])
  const loop: HeartbeatLoop = startHeartbeats(carrier, () => instance.intervalMs, first.heard)
  onKeyRefused = (error) => {
    const isKnown = [...agents.values()].every((standing) => standing.closing()?.code === 'key_refused')
    carrier.refuseKey(error)
    // The heartbeat finds out whether the control plane accepts the key again.
    if (!isKnown) loop.beatWithin(0)
  }
  const approvals = new ApprovalNews()
  push = config.stream
    ? new Push({
        streams: planeStreamsAt(config.controlPlane, config.key, quiet),
        instanceId: instance.instanceId,
        agents,
        carrier,
        approvals,
        credentials,
        pins,
        delegations: ended,
        onReached: () => backOff.answered(),
        onKeyRefused: () => onKeyRefused(new ControlPlaneRefused(401, 'the control plane answered 401 to a stream')),
        beatWithin: (ms) => loop.beatWithin(ms),
        log,
        limits: pushLimits,
      })
    : null
  const watch = watchLapses(agents.values(), log, () =>
    credentials.forget('the edge denies every call, because the control plane does not confirm its profiles'),
  )
  // An edge that is stopped during its start does not wait for the control plane when it closes.
  if (stopping?.aborted === false) starting = undefined
  reporter.start()
  confirmations.start()
  for (const { attestations } of served.values()) attestations.tell()

  return {
    agentIds: config.agentIds,
    guardFor(agentId) {
      const found = served.get(agentId)
      if (!found) throw new Error(`agent ${agentId} is not served by this edge`)
      return agentGuard(found.standing, found)
    },
    tokens,
    async delegateOn(agentId, asked, signal) {
      const standing = agents.get(agentId)
      if (!standing) throw new Error(`agent ${agentId} is not served by this edge`)
      return await delegateOn({ plane, delegations, requests }, standing, asked, signal)
    },
    approvals,
    credentials,
    health: () => [...agents].map(([agentId, standing]) => ({ agentId, closing: standing.closing() })),
    async refresh() {
      await carrier.beat()
    },
    async close() {
      watch.stop()
      credentials.close()
      await Promise.all([
        push?.close(),
        loop.stop(),
        confirmations.close(),
        pins.close(),
        ended.close(),
        toolReports.close(),
      ])
      await Promise.all([...served.values()].map(({ attestations }) => attestations.close()))
      await content.close()
      ruleUses.close()
      await reporter.close()
      await spool.close()
      adopted.close()
      state.release()
    },
  }
}

/** Returns the first value that an agent has. Null if none has one. */
function firstOf<T>(
  agents: ReadonlyMap<string, AgentStanding>,
  read: (standing: AgentStanding) => T | null | undefined,
): T | null {
  for (const standing of agents.values()) {
    const value = read(standing)
    if (value !== null && value !== undefined) return value
  }
  return null
}

const watchMs = 1000
/** Codes of an edge that has lost the control plane, or whose key is no longer valid. */
const lapses: ReadonlySet<string> = new Set(['not_confirmed', 'key_refused', 'no_profile'])
const msPerFirstClaim = 5
const longestSpreadMs = 30_000

/**
 * Checks regularly whether a profile has expired, because expiry causes no event. An expired profile must be logged, and it
 * changes the lists of tools that clients see. Calls `onLapsed` while no agent has a profile that counts.
 */
function watchLapses(agents: Iterable<AgentStanding>, log: Logger, onLapsed: () => void): { stop(): void } {
  const all = [...agents]
  const timer = setInterval(() => {
    if (all.every((standing) => lapses.has(standing.closing()?.code ?? ''))) onLapsed()
    for (const standing of all) {
      if (!standing.tellChange()) continue
      const { closed } = standing.now()
      if (closed !== null)
        log.error(
          { agent_id: standing.agentId, reason: closed },
          'failing closed: the edge denies every call of the agent',
        )
      else
        log.info(
          { agent_id: standing.agentId },
          'the edge no longer denies every call of the agent: the policy decides again',
        )
    }
  }, watchMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

const sqliteFull = 13

/** Explains an error that means a full disk. Returns other errors unchanged. */
function explainFullDisk(error: unknown, folder: string): unknown {
  const { code, errcode } = error as { code?: string; errcode?: number }
  if (!['ENOSPC', 'EDQUOT'].includes(code ?? '') && errcode !== sqliteFull) return error
  return new Error(`the disk that holds the state folder ${folder} is full; make room and start the edge again`)
}
