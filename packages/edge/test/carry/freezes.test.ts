import { expect, test, vi } from 'vitest'
import type { Answer } from '../../src/control-plane/control-plane.ts'
import {
  agentId,
  away,
  fetching,
  freezeEvent,
  freezeId,
  freezing,
  frozenProfile,
  naming,
  notChanged,
  profileOf,
  tenantId,
  world,
} from './carrier-world.ts'

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

test('a freeze is on disk when it is confirmed, so a killed edge denies after a restart without the control plane', async () => {
  for (const isPushed of [true, false]) {
    const { says, start, overdueAtFreeze } = await world(new Set())
    const { carrier } = await start()
    says.beat = freezing('h2', 2, {})
    says.profile = away
    await (isPushed ? carrier.applyFreeze(freezeEvent()) : carrier.beat())
    expect(overdueAtFreeze).toEqual([[agentId]])
    says.beat = away
    const restarted = await start()
    expect(restarted.standing.closing()).not.toBeNull()
  }
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

test.each([
  ['of another organization', freezeId, []],
  ['without its organization', undefined, []],
  ['of its organization', tenantId, [agentId]],
])(
  'a freeze %s stops an agent whose profile names the organization only if it is the same one',
  async (_, tenant, stopped) => {
    const { says, start, said } = await world()
    const { status, body } = profileOf('h1', 1)
    says.profile = { status, body: { ...(body as object), tenant_id: tenantId } }
    const { standing, carrier } = await start()
    said.length = 0
    const event = freezeEvent({ scope: 'organization', agent_id: undefined, tenant_id: tenant })
    expect(await carrier.applyFreeze(event)).toEqual(stopped.length > 0 ? stopped : null)
    expect(standing.closing() !== null).toBe(stopped.length > 0)
    expect(said).toEqual(stopped.map(() => ({ freeze: freezeId })))
  },
)

test('a freeze of an organization stops an agent whose profile does not name one', async () => {
  const { start } = await world()
  const { standing, carrier } = await start()
  await carrier.applyFreeze(freezeEvent({ scope: 'organization', agent_id: undefined, tenant_id: freezeId }))
  expect(standing.closing()).toMatchObject({ code: 'may_not_act' })
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
