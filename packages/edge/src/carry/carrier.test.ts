import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import {
  agentId,
  away,
  fetching,
  freezeEvent,
  keyRefused,
  missedMs,
  naming,
  notChanged,
  profileOf,
  servingNobody,
  world,
} from '../../test/carry/carrier-world.ts'
import { type Answer, ControlPlaneRefused } from '../control-plane/control-plane.ts'

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

test.each([1, 2, 3])('starts in seat %i with the newest profile of all seats, and keeps it', async (number) => {
  const { says, start, pass } = await world()
  await start(1)
  says.beat = naming('h2')
  says.profile = profileOf('h2', 2)
  pass(1000)
  await start(2)
  says.beat = away
  pass(missedMs)
  for (const again of [number, number]) {
    const { standing } = await start(again)
    expect(standing.now()).toMatchObject({ closed: null, profile: { hash: 'h2' } })
  }
  says.beat = naming('h1')
  says.profile = profileOf('h1', 1)
  expect((await start(number)).standing.profile).toMatchObject({ hash: 'h2' })
})

test.each([1, 2, 3])(
  'starts in seat %i with the stop that seat 2 was told, until its own seat is told that the agent may act',
  async (number) => {
    const { says, start, pass } = await world()
    const edges = [await start(1), await start(2), await start(3)]
    pass(1000)
    await edges[1]?.carrier.applyFreeze(freezeEvent())
    says.beat = away
    expect((await start(number)).standing.now().closed).toContain('not confirmed')
    pass(1000)
    says.beat = naming('h1')
    await edges[number - 1]?.carrier.beat()
    says.beat = away
    expect((await start(number)).standing.now().closed).toBeNull()
  },
)

test('starts with a stop that an earlier version wrote in another seat, whenever that was', async () => {
  const { says, start, pass, seal, instanceFile } = await world()
  await start(2)
  const record = { instance_id: 'old', seq: 1, interval_ms: 1000, confirmed: {}, overdue: [agentId] }
  pass(1000)
  await start(1)
  says.beat = away
  expect((await start(1)).standing.now().closed).toBeNull()
  await seal.replace(instanceFile.replace('/1/', '/2/'), 'instance of seat 2', JSON.stringify(record))
  expect((await start(1)).standing.now().closed).toContain('not confirmed')
})

test('starts with the own stop, although a seat with a clock that is ahead was told that the agent may act', async () => {
  const { says, start, pass } = await world()
  const { carrier } = await start(1)
  pass(30_000)
  await start(2)
  pass(-30_000)
  await carrier.applyFreeze(freezeEvent())
  says.beat = away
  expect((await start(1)).standing.now().closed).not.toBeNull()
})

test('starts although the profiles of another seat cannot be read', async () => {
  const { start, folder, says } = await world()
  await start(1)
  says.beat = naming('h2')
  says.profile = profileOf('h2', 2)
  await start(2)
  await rm(join(folder, '2/profiles', `${agentId}.json`))
  await mkdir(join(folder, '2/profiles', `${agentId}.json`))
  says.beat = away
  expect((await start(1)).standing.profile).toMatchObject({ hash: 'h1' })
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

test('numbers of heartbeats grow after a restart, after a backup was restored, and after the clock went back', async () => {
  const { start, instanceFile, beats, pass } = await world()
  await start()
  const backup = await readFile(instanceFile)
  pass(60_000)
  const { carrier } = await start()
  await carrier.beat()
  await writeFile(instanceFile, backup)
  pass(60_000)
  await start()
  pass(-90_000)
  await start()
  const numbers = beats.map(({ seq }) => seq)
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  expect(numbers).toHaveLength(5)
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
  expect(await carrier.fetch([agentId], {})).toMatchObject({ heard: false, changed: false })
  expect(standing.closing()).toBeNull()
  says.profiles = { status: 200, body: { data: [], unchanged: [], remaining: [agentId] } }
  expect(await carrier.fetch([agentId], {})).toMatchObject({ heard: false, changed: false })
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

test('a key that is refused on any request closes the edge at once, until a heartbeat is answered', async () => {
  const { says, start } = await world()
  const { standing, carrier } = await start()
  expect(standing.closing()).toBeNull()
  carrier.refuseKey(keyRefused)
  expect(standing.closing()).toMatchObject({ code: 'key_refused' })
  says.beat = naming('h1')
  await carrier.beat()
  expect(standing.closing()).toBeNull()
})
