import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FreezeNotice, Heartbeat } from '@mandate/contract/edge'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Answer, ControlPlaneAway, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import { readInstance } from '../state/instance-record.ts'
import { StateSeal } from '../state/state-seal.ts'
import { AgentStanding } from './agent-standing.ts'
import { Carrier } from './carrier.ts'
import { openProfileFiles } from './profile-files.ts'

const agentId = '6f0f4b7e-9d0c-4f55-8a53-0c1f8a4f8b11'
const missedMs = 6000

const profileOf = (hash: string, seq: number): Answer => ({
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
const naming = (hash: string): Answer => {
  const agent = { agent_id: agentId, profile_hash: hash, policy_id: null, policy_version: null }
  return { status: 200, body: { interval_s: 1, agents: [agent] } }
}
/** A heartbeat answer with freezes or drills. `seq` is the number of the profile that it names. */
const freezing = (hash: string, seq: number, ...freezes: Partial<FreezeNotice>[]): Answer => {
  const agent = { agent_id: agentId, profile_hash: hash, policy_id: null, policy_version: null, profile_seq: seq }
  const named = freezes.map((freeze, n) => {
    const id = `01980000-0000-7000-8000-00000000000${n}`
    return { id, scope: 'organization', agent_id: null, environment_id: null, drill: false, ...freeze }
  })
  return { status: 200, body: { interval_s: 1, agents: [agent], freezes: named } }
}
const frozenProfile = (hash: string, seq: number): Answer => {
  const { status, body } = profileOf(hash, seq)
  const denied = { policy_id: null, policy_version: null, policy: { default_effect: 'deny', rules: [] } }
  return { status, body: { ...(body as object), ...denied, denied_because: 'frozen' } }
}
const freezeId = '01980000-0000-7000-8000-000000000000'
const servingNobody: Answer = { status: 200, body: { interval_s: 1, agents: [] } }
const keyRefused = new ControlPlaneRefused(401, 'no')
const away = new ControlPlaneAway('gone')

type Said = Answer | Error | Promise<Answer>

/**
 * Creates a carrier for one agent. The agent's policy stays in force while the control plane cannot be reached. The carrier
 * can be started again.
 */
async function world(keptWhenAway: 'all' | ReadonlySet<string> = 'all') {
  const seat = await mkdtemp(join(tmpdir(), 'mandate-carrier-'))
  onTestFinished(() => rm(seat, { recursive: true, force: true }))
  const says: { beat: Said; profile: Said; profiles: Said; isSigned: boolean } = {
    beat: naming('h1'),
    profile: profileOf('h1', 1),
    profiles: away,
    isSigned: true,
  }
  const seal = new StateSeal('ek_test')
  const files = await openProfileFiles(seat, seal)
  const log: Record<string, unknown>[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(JSON.parse(line)) })
  const beats: Heartbeat[] = []
  const said: unknown[] = []
  let aheadMs = 0
  const clock = () => ({ wallMs: Date.now() + aheadMs, monotonicMs: performance.now() + aheadMs })
  async function start() {
    const instance = await readInstance(seat, seal)
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
      agents: new Map([[agentId, standing]]),
      log: logger,
      edgeVersion: '0',
      confirmations: { noteProfile: (profile) => said.push(profile), noteFreeze: (id) => said.push({ freeze: id }) },
      seat,
      seal,
      instance,
      clock,
    })
    await carrier.load()
    await carrier.beat()
    return { standing, carrier }
  }
  return { says, start, files, log, beats, said, pass: (ms: number) => (aheadMs += ms) }
}

test.each([
  ['cannot be fetched', away],
  ['is not there', new ControlPlaneRefused(404, 'no')],
  ['is refused', { status: 200, body: {} }],
  ['is said not to have changed', { status: 304, body: undefined }],
  ['is the one held', profileOf('h1', 1)],
])(
  'the current profile expires, kept while away or not, if a heartbeat names another one that %s',
  async (_, answer) => {
    const { says, start, pass } = await world()
    const { standing, carrier } = await start()
    const { confirmed } = standing
    says.beat = naming('h2')
    says.profile = answer
    await carrier.beat()
    expect(standing).toMatchObject({ confirmed, profile: { hash: 'h1' } })
    expect(standing.now().closed).toBeNull()
    pass(missedMs)
    expect(standing.now().closed).toContain('not confirmed')
    says.profile = profileOf('h2', 2)
    await carrier.beat()
    says.beat = away
    pass(missedMs)
    expect(standing.now()).toMatchObject({ closed: null, profile: { hash: 'h2' } })
  },
)

test('stays behind after a restart until the control plane names the current profile again', async () => {
  const { says, start, pass } = await world()
  const { carrier } = await start()
  says.beat = naming('h2')
  says.profile = away
  await carrier.beat()
  says.beat = away
  const behind = await start()
  expect(behind.standing.now()).toMatchObject({ closed: null, profile: { hash: 'h1' } })
  pass(missedMs)
  expect(behind.standing.now().closed).toContain('not confirmed')
  says.beat = naming('h1')
  await behind.carrier.beat()
  says.beat = away
  const current = await start()
  pass(missedMs)
  expect(current.standing.now()).toMatchObject({ closed: null, profile: { hash: 'h1' } })
})

test('marks the profile as behind on disk before the named one is fetched', async () => {
  const { says, start, pass, files } = await world()
  const { carrier } = await start()
  const fetched = Promise.withResolvers<Answer>()
  says.beat = naming('h2')
  says.profile = fetched.promise
  const beat = carrier.beat()
  const marked = { document: expect.objectContaining({ profile_hash: 'h1' }), mark: 'behind' }
  await vi.waitFor(async () => expect(await files.read(agentId)).toEqual(marked))
  says.beat = away
  const { standing } = await start()
  pass(missedMs)
  expect(standing.now().closed).toContain('not confirmed')
  fetched.resolve(profileOf('h2', 2))
  await beat
  expect(await files.read(agentId)).toMatchObject({ document: { profile_hash: 'h2' }, mark: 'current' })
})

test('keeps the mark of a refusal over that of being behind, and a new profile removes both', async () => {
  const { files } = await world()
  const { body } = profileOf('h1', 1)
  const document = body as Record<string, unknown>
  await files.mark(agentId, 'behind')
  expect(await files.read(agentId)).toBeNull()
  for (const [mark, expected] of [
    ['behind', 'behind'],
    ['withdrawn', 'withdrawn'],
    ['behind', 'withdrawn'],
  ] as const) {
    if (expected === 'behind') await files.write(agentId, document)
    await files.mark(agentId, mark)
    expect(await files.read(agentId)).toEqual({ document, mark: expected })
  }
  await files.write(agentId, document)
  expect(await files.read(agentId)).toEqual({ document, mark: 'current' })
})

test('accepts a profile newer than the named one, but a first profile only if it was named', async () => {
  const { says, start } = await world()
  says.profile = profileOf('h0', 1)
  const { standing, carrier } = await start()
  expect(standing.now().closed).toContain('another profile than the heartbeat named')
  says.profile = profileOf('h1', 2)
  await carrier.beat()
  says.beat = naming('h2')
  says.profile = profileOf('h3', 4)
  await carrier.beat()
  expect(standing.now()).toMatchObject({ closed: null, profile: { hash: 'h3' } })
})

test.each([
  ['its key', keyRefused],
  ['the agent', servingNobody],
])('an edge that was refused %s denies after a restart until it is served again', async (_, refusal) => {
  const { says, start } = await world()
  const { carrier } = await start()
  says.beat = refusal
  await carrier.beat()
  says.beat = away
  const restarted = await start()
  expect(restarted.standing.now().closed).toContain('before the restart')
  says.beat = naming('h1')
  await restarted.carrier.beat()
  expect(restarted.standing.now().closed).toBeNull()
  says.beat = away
  expect((await start()).standing.now().closed).toBeNull()
})

test('refuses an older profile after a refusal and a restart', async () => {
  const { says, start } = await world()
  says.profile = profileOf('h1', 7)
  const { carrier } = await start()
  says.beat = keyRefused
  await carrier.beat()
  says.beat = naming('h0')
  says.profile = profileOf('h0', 6)
  expect((await start()).standing.now().closed).not.toBeNull()
})

test.each<['all' | ReadonlySet<string>, (number | null)[]]>([
  [new Set(), [5, 5]],
  [new Set([agentId]), [5, null]],
  ['all', [5, null]],
])('heartbeats say when the edge denies everything, with policies kept while away: %j', async (kept, said) => {
  const { start, beats } = await world(kept)
  const { carrier } = await start()
  await carrier.beat()
  expect(beats.map(({ closes_after_beats }) => closes_after_beats)).toEqual(said)
})

test('logs once that the control plane is away, and once that it is back with the length of the outage', async () => {
  const { says, start, log, pass } = await world()
  const { carrier } = await start()
  const said = () => log.filter(({ msg }) => /control plane/.test(String(msg)))
  says.beat = away
  for (let n = 0; n < 4; n++) await carrier.beat()
  expect(said()).toMatchObject([
    { level: 40, msg: 'cannot reach the control plane; the next heartbeat tries again', reason: 'gone' },
  ])
  pass(90_000)
  says.beat = naming('h1')
  await carrier.beat()
  await carrier.beat()
  expect(said().slice(1)).toMatchObject([{ level: 30, msg: 'the control plane is back', missed: 4 }])
  expect(said()[1]?.away_s).toBeGreaterThanOrEqual(90)

  says.beat = keyRefused
  for (let n = 0; n < 3; n++) await carrier.beat()
  says.beat = naming('h1')
  await carrier.beat()
  expect(said().slice(2)).toMatchObject([
    { level: 50, msg: "the control plane refuses this edge's key, so every call is denied: give the edge a valid key" },
    { level: 30, msg: "the control plane accepts this edge's key again" },
  ])
})

test('a freeze stops the agent before its profile is fetched, and is confirmed only while every call is denied', async () => {
  const { says, start, said } = await world()
  const { standing, carrier } = await start()
  const fetched = Promise.withResolvers<Answer>()
  says.beat = freezing('h2', 2, {})
  says.profile = fetched.promise
  said.length = 0
  const beat = carrier.beat()
  await vi.waitFor(() => expect(standing.closing()).toMatchObject({ code: 'may_not_act' }))
  expect(standing.closing()?.reason).toBe('the agent is frozen: ask a manager or an owner to lift the freeze')
  expect(said).toEqual([])
  fetched.resolve(frozenProfile('h2', 2))
  await beat
  expect(said).toMatchObject([{ hash: 'h2', seq: 2 }, { freeze: freezeId }])
  expect(standing.closing()).toEqual({
    code: 'may_not_act',
    reason: 'the agent is frozen: ask a manager or an owner to lift the freeze',
  })
  says.beat = naming('h3')
  says.profile = profileOf('h3', 3)
  await carrier.beat()
  expect(standing.closing()).toBeNull()
})

test('an agent stays frozen if its profile cannot be fetched, also after a restart, until the freeze is lifted', async () => {
  const { says, start, said, pass } = await world()
  const { standing, carrier } = await start()
  said.length = 0
  says.beat = freezing('h2', 2, {})
  says.profile = away
  await carrier.beat()
  expect(standing.closing()).toMatchObject({ code: 'may_not_act' })
  expect(said).toEqual([{ freeze: freezeId }])
  says.beat = away
  pass(60_000)
  expect(standing.closing()).not.toBeNull()
  const restarted = await start()
  expect(restarted.standing.closing()).not.toBeNull()
  says.beat = naming('h1')
  await restarted.carrier.beat()
  expect(restarted.standing.closing()).toBeNull()
})

test('a freeze of another agent stops nothing and is confirmed', async () => {
  const { says, start, said } = await world()
  const { standing, carrier } = await start()
  said.length = 0
  says.beat = freezing('h1', 1, { scope: 'agent', agent_id: freezeId })
  await carrier.beat()
  expect(standing.closing()).toBeNull()
  expect(said.at(-1)).toEqual({ freeze: freezeId })
})

test('a freeze is not confirmed while the heartbeat names a profile that lets calls pass', async () => {
  const { says, start, said } = await world()
  const { carrier } = await start()
  said.length = 0
  says.beat = freezing('h1', 1, {})
  await carrier.beat()
  expect(said).not.toContainEqual({ freeze: freezeId })
})

test('a drill is confirmed after the renumbered profile is in force, and stops nothing', async () => {
  const { says, start, said } = await world()
  const { standing, carrier } = await start()
  said.length = 0
  says.beat = freezing('h1', 2, { drill: true })
  says.profile = away
  await carrier.beat()
  expect(said).not.toContainEqual({ freeze: freezeId })
  says.profile = profileOf('h1', 2)
  await carrier.beat()
  expect(standing.profile).toMatchObject({ hash: 'h1', seq: 2 })
  expect(said.slice(-2)).toMatchObject([{ hash: 'h1', seq: 2 }, { freeze: freezeId }])
  expect(standing.closing()).toBeNull()
})

const fetching = (...profiles: Answer[]): Answer => ({
  status: 200,
  body: { data: profiles.map(({ body }) => body), unchanged: [], remaining: [] },
})
const notChanged: Answer = { status: 200, body: { data: [], unchanged: [agentId], remaining: [] } }
const freezeEvent = (rest = {}) => ({
  id: freezeId,
  scope: 'agent',
  agent_id: agentId,
  drill: false,
  lifted: false,
  at: '2026-03-02T08:00:00.000Z',
  signature: 'good',
  ...rest,
})

test('a profile that is fetched without a heartbeat is verified, put in force and confirmed', async () => {
  const { says, start, said } = await world()
  const { standing, carrier } = await start()
  says.profiles = fetching(profileOf('h2', 2))
  said.length = 0
  expect(await carrier.fetch([agentId], {})).toEqual({ heard: true, changed: true })
  expect(standing.profile).toMatchObject({ hash: 'h2', seq: 2 })
  expect(said).toMatchObject([{ hash: 'h2', seq: 2 }])
  expect(standing.isBehind).toBe(false)
})

test('a fetched profile is refused if it is forged, older, or has the number of the current one', async () => {
  const { says, start } = await world()
  const { standing, carrier } = await start()
  says.profiles = fetching(profileOf('h5', 5))
  await carrier.fetch([agentId], {})
  for (const [isSigned, answer] of [
    [false, profileOf('h6', 6)],
    [true, profileOf('h4', 4)],
    [true, profileOf('h6', 5)],
  ] as const) {
    says.isSigned = isSigned
    says.profiles = fetching(answer)
    expect(await carrier.fetch([agentId], {})).toEqual({ heard: true, changed: false })
    expect(standing.profile).toMatchObject({ hash: 'h5', seq: 5 })
    expect(standing.isBehind).toBe(true)
  }
})

test('a fetch that fails changes nothing, and one that leaves the agent out stops it', async () => {
  const { says, start } = await world()
  const { standing, carrier } = await start()
  expect(await carrier.fetch([agentId], {})).toEqual({ heard: false })
  expect(standing.closing()).toBeNull()
  says.profiles = { status: 200, body: { data: [], unchanged: [], remaining: [agentId] } }
  expect(await carrier.fetch([agentId], {})).toEqual({ heard: false })
  expect(standing.closing()).toBeNull()
  says.profiles = fetching()
  await carrier.fetch([agentId], {})
  expect(standing.closing()).toMatchObject({ code: 'not_served' })
  says.profiles = notChanged
  await carrier.fetch([agentId], {})
  expect(standing.closing()).toBeNull()
})

test('a fetch with a key that is refused stops the agent', async () => {
  const { says, start } = await world()
  const { standing, carrier } = await start()
  says.profiles = keyRefused
  await carrier.fetch([agentId], {})
  expect(standing.closing()).toMatchObject({ code: 'key_refused' })
})

test('a signed freeze stops the agent before anything is fetched, and is confirmed', async () => {
  const { says, start, said } = await world()
  const { standing, carrier } = await start()
  said.length = 0
  expect(await carrier.applyFreeze(freezeEvent())).toEqual([agentId])
  expect(standing.closing()).toMatchObject({ code: 'may_not_act' })
  expect(said).toEqual([{ freeze: freezeId }])
  says.profiles = away
  await carrier.fetch([agentId], {})
  expect(standing.closing()).not.toBeNull()
  says.profiles = fetching(profileOf('h2', 2))
  await carrier.fetch([agentId], {})
  expect(standing.closing()).toBeNull()
})

test('the answer of a heartbeat that was sent before the freeze does not end it', async () => {
  const { says, start } = await world()
  const { standing, carrier } = await start()
  const answer = Promise.withResolvers<Answer>()
  says.beat = answer.promise
  const beat = carrier.beat()
  await vi.waitFor(async () => expect(await carrier.applyFreeze(freezeEvent())).toEqual([agentId]))
  answer.resolve(naming('h1'))
  await beat
  expect(standing.closing()).toMatchObject({ code: 'may_not_act' })
  says.beat = naming('h1')
  await carrier.beat()
  expect(standing.closing()).toBeNull()
})

test.each([
  ['with another signature', freezeEvent(), false, null, []],
  ['without a signature', freezeEvent({ signature: undefined }), true, null, []],
  ['of another agent', freezeEvent({ agent_id: freezeId }), true, [], [{ freeze: freezeId }]],
  ['of another environment', freezeEvent({ scope: 'environment', environment_id: freezeId }), true, [], []],
  ['that is a drill', freezeEvent({ drill: true }), true, [agentId], []],
  ['that was lifted', freezeEvent({ lifted: true }), true, [agentId], []],
])('a freeze %s stops nothing', async (_, event, isSigned, covered, confirmed) => {
  const { says, start, said } = await world()
  const { standing, carrier } = await start()
  said.length = 0
  says.isSigned = isSigned
  expect(await carrier.applyFreeze(event)).toEqual(covered)
  expect(standing.closing()).toBeNull()
  expect(said).toEqual(confirmed)
})

test('a freeze that was lifted does not let the agent act before its profile was fetched', async () => {
  const { says, start } = await world()
  const { standing, carrier } = await start()
  await carrier.applyFreeze(freezeEvent())
  await carrier.applyFreeze(freezeEvent({ lifted: true }))
  expect(standing.closing()).not.toBeNull()
  says.profiles = notChanged
  await carrier.fetch([agentId], {})
  expect(standing.closing()).toBeNull()
})
