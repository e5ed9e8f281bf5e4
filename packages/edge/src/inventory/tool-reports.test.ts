import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { type Asked, ControlPlaneAway, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import type { Definition } from '../guard/tool-definition.ts'
import { definitionOf } from './definition.ts'
import { ToolReports } from './tool-reports.ts'

interface Report {
  agent_id: string
  server: string
  tools: { name: string; description?: string }[]
}

function startWorld() {
  const world = {
    sent: [] as Report[],
    failures: [] as Error[],
    nowMs: 0,
    tries: [] as Report[],
    failureOf: (_report: Report): Error | undefined => undefined,
  }
  const plane = {
    async ask({ body }: Asked) {
      world.tries.push(body as Report)
      const failure = world.failures.shift() ?? world.failureOf(body as Report)
      if (failure) throw failure
      world.sent.push(body as Report)
      return { status: 202, body: { changed: [] } }
    },
  }
  const reports = new ToolReports({ plane, log: pino({ level: 'silent' }), now: () => world.nowMs })
  onTestFinished(() => reports.close())
  return { world, reports }
}

const tool = (name: string, description = '') => definitionOf({ name, description }) as Definition
const names = ({ tools }: Report) => tools.map(({ name }) => name)
const settle = () => new Promise((resolve) => setTimeout(resolve, 250))

it('reports what is seen at one time together, for each agent and server', async () => {
  const { world, reports } = startWorld()
  reports.note('agent-1', 'files', [tool('read')])
  reports.note('agent-1', 'files', [tool('write')])
  reports.note('agent-1', 'mail', [tool('send')])
  reports.note('agent-2', 'files', [tool('read')])
  await expect.poll(() => world.sent.length).toBe(3)
  expect(world.sent.map((report) => [report.agent_id, report.server, ...names(report)])).toEqual([
    ['agent-1', 'files', 'read', 'write'],
    ['agent-1', 'mail', 'send'],
    ['agent-2', 'files', 'read'],
  ])
})

it('reports a definition again when it changes, and after 6 hours', async () => {
  const { world, reports } = startWorld()
  reports.note('agent', 'files', [tool('read'), tool('write')])
  await expect.poll(() => world.sent.length).toBe(1)
  reports.note('agent', 'files', [tool('read', 'other'), tool('write')])
  await expect.poll(() => world.sent.length).toBe(2)
  expect(names(world.sent[1] as Report)).toEqual(['read'])
  reports.note('agent', 'files', [tool('read', 'other'), tool('write')])
  await settle()
  expect(world.sent).toHaveLength(2)
  world.nowMs = 6 * 60 * 60_000
  reports.note('agent', 'files', [tool('read', 'other'), tool('write')])
  await expect.poll(() => world.sent.length).toBe(3)
  expect(names(world.sent[2] as Report)).toEqual(['read', 'write'])
})

it('reports each definition of a tool that a server declares twice, and the last one last', async () => {
  const { world, reports } = startWorld()
  const descriptions = () => world.sent.flatMap(({ tools }) => tools.map(({ description }) => description))
  for (const expected of [
    ['one', 'two'],
    ['one', 'two', 'one', 'two'],
  ]) {
    reports.note('agent', 'files', [tool('read', 'two'), tool('read', 'one'), tool('read', 'two')])
    await expect.poll(descriptions).toEqual(expected)
  }
  reports.note('agent', 'files', [tool('read', 'two')])
  await settle()
  expect(world.sent).toHaveLength(4)
})

it('reports the first and the last definitions of a tool that changes all the time', async () => {
  const { world, reports } = startWorld()
  for (let n = 1; n <= 100; n++) reports.note('agent', 'files', [tool('read', `at ${n}`)])
  await expect.poll(() => world.sent.length).toBe(4)
  expect(world.sent.map(({ tools }) => tools[0]?.description)).toEqual(['at 1', 'at 98', 'at 99', 'at 100'])
})

it('splits reports of more than 500 tools or 700,000 characters', async () => {
  const { world, reports } = startWorld()
  reports.note(
    'agent',
    'many',
    Array.from({ length: 501 }, (_, at) => tool(`t${at}`)),
  )
  reports.note(
    'agent',
    'large',
    Array.from({ length: 20 }, (_, at) => tool(`t${at}`, 'x'.repeat(60_000))),
  )
  await expect.poll(() => world.sent.length).toBe(4)
  expect(world.sent.map(({ server, tools }) => [server, tools.length])).toEqual([
    ['many', 500],
    ['many', 1],
    ['large', 11],
    ['large', 9],
  ])
})

it('tries again while the control plane is away, and not after a refusal', async () => {
  const { world, reports } = startWorld()
  world.failures = [new ControlPlaneAway('gone'), new ControlPlaneRefused(409, 'too many tools')]
  reports.note('agent', 'files', [tool('read')])
  await expect.poll(() => world.failures, { timeout: 60_000 }).toEqual([])
  reports.note('agent', 'files', [tool('read')])
  await settle()
  expect(world.sent).toEqual([])
  reports.note('agent', 'files', [tool('read', 'other')])
  await expect.poll(() => world.sent.length).toBe(1)
})

it('remembers at most 16 MiB of definitions that wait', async () => {
  const { world, reports } = startWorld()
  world.failures = [new ControlPlaneAway('gone')]
  for (let at = 0; at < 400; at++) reports.note('agent', 'large', [tool(`t${at}`, `${at} ${'x'.repeat(60_000)}`)])
  await expect.poll(() => world.failures, { timeout: 60_000 }).toEqual([])
  await expect.poll(() => world.sent.flatMap(names).length, { timeout: 60_000 }).toBeGreaterThan(250)
  await settle()
  expect(world.sent.flatMap(names).length).toBeLessThan(280)
})

const isPoisoned = (report: Report) => names(report).includes('poison')

it('sets a tool aside at which the control plane fails, and reports the other tools and servers', async () => {
  const { world, reports } = startWorld()
  world.failureOf = (report) => (isPoisoned(report) ? new ControlPlaneAway('broken', 0, 500) : undefined)
  reports.note('agent', 'evil', [tool('one'), tool('poison'), tool('two')])
  reports.note('agent', 'files', [tool('read')])
  await expect.poll(() => world.sent.length, { timeout: 60_000 }).toBe(3)
  expect(world.sent.map(names)).toEqual([['read'], ['one'], ['two']])
  await expect.poll(() => world.tries.filter(isPoisoned).length, { timeout: 60_000 }).toBe(5)
  reports.note('agent', 'evil', [tool('poison'), tool('two', 'other')])
  await expect.poll(() => world.sent.length, { timeout: 60_000 }).toBe(4)
  expect(world.tries.filter(isPoisoned)).toHaveLength(5)
}, 60_000)

it('a report that fails again and again does not delay the reports of other servers', async () => {
  const { world, reports } = startWorld()
  world.failureOf = ({ server }) => (server === 'slow' ? new ControlPlaneAway('no answer within 10000 ms') : undefined)
  reports.note('agent', 'slow', [tool('one')])
  reports.note('agent', 'files', [tool('read')])
  await expect.poll(() => world.sent.map(names), { timeout: 60_000 }).toEqual([['read']])
})

it('sends the tools of a refused report one by one, because one of them can be the reason', async () => {
  const { world, reports } = startWorld()
  world.failureOf = (report) => (isPoisoned(report) ? new ControlPlaneRefused(400, 'tools.1: bad') : undefined)
  reports.note('agent', 'evil', [tool('one'), tool('poison'), tool('two')])
  await expect.poll(() => world.sent.map(names)).toEqual([['one'], ['two']])
  expect(world.tries.filter(isPoisoned).map(names)).toEqual([['one', 'poison', 'two'], ['poison']])
})

it('a report that fails keeps the order of the definitions of a tool', async () => {
  const { world, reports } = startWorld()
  world.failures = [new ControlPlaneAway('broken', 0, 500)]
  reports.note('agent', 'files', [tool('read', 'one'), tool('read', 'two')])
  await expect.poll(() => world.sent.length, { timeout: 60_000 }).toBe(2)
  expect(world.sent.map(({ tools }) => tools[0]?.description)).toEqual(['one', 'two'])
})
