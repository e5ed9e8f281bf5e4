import { afterAll, expect, onTestFailed, onTestFinished, test } from 'vitest'
import { formsOf } from '../acceptance/edge/content/secret-values.ts'
import { textsOfFolder, textsOfTables } from '../acceptance/edge/content/stored-texts.ts'
import { repeatableRandom } from '../browser/grown/random.ts'
import { everyOutcome, keepWorking, untilAgain } from './agents-at-work.ts'
import { type GuardFault, guardFaults } from './guard-faults.ts'
import { type GuardedWorld, startGuardedWorld } from './guarded-world.ts'
import { type Outcome, outcomes } from './rule-ledger.ts'

const rounds = Number(process.env.ROUNDS ?? 5)
/** The order of the faults, and how long they last, come from the seed. */
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000))
const secondsARound = 600

interface Row {
  fault: string
  rounds: number
  'slowest recovery, s': number
  calls: Record<Outcome, number>
}
const table = new Map<string, Row>()
afterAll(() => console.table([...table.values()].map(({ calls, ...row }) => ({ ...row, ...calls }))))

test(
  'content rules, pins, flow rules and credentials while everything fails: nothing passes that they stop, and allowed calls pass again after each fault',
  async () => {
    console.log(`SEED=${seed} ROUNDS=${rounds}`)
    const world = await startGuardedWorld()
    onTestFailed(() => console.log(lastLines(world)))
    const random = repeatableRandom(seed)
    const working = keepWorking(world)
    onTestFinished(() => working.stop())
    await untilAgain(world, everyOutcome(world))
    const possible = Object.entries(guardFaults).filter(([, { isPossible = true }]) => isPossible)
    for (let round = 1; round <= rounds; round++)
      for (const [name, fault] of shuffled(possible, random)) await runFault(world, { round, name, fault }, random)
    await working.stop()
    await expectNothingLeaked(world)
  },
  (rounds * secondsARound + 300) * 1000,
)

/**
 * Causes one fault. In half of the cases, the definition of a pinned tool changes at the same time. Then waits until every kind of call has its
 * expected outcome again.
 */
async function runFault(world: GuardedWorld, step: Step, random: () => number): Promise<void> {
  const { ledger, tools } = world
  const { fault } = step
  const before = ledger.totals()
  const processes = processesOf(world)
  if (random() < 0.5) tools.changeDefinition()
  const isChanged = tools.change !== null
  const from = performance.now()
  await fault.cause(world, random)
  const causedMs = performance.now() - from
  for (const edge of ['http', 'stdio'] as const)
    if (!fault.ends?.includes(edge)) expect(processesOf(world)[edge], `the ${edge} edge ended`).toBe(processes[edge])
  tools.restoreDefinition()
  await untilAgain(world, everyOutcome(world))
  ledger.hear('the answers of the stdio edge', await world.stdio.answers())
  expect(ledger.violations).toEqual([])
  expect(tools.refused, 'requests without the credential').toBe(0)
  const recoveryMs = performance.now() - from - causedMs
  note(step, recoveryMs, before, ledger.totals())
  const seconds = `fault ${(causedMs / 1000).toFixed(1)} s, recovery ${(recoveryMs / 1000).toFixed(1)} s`
  console.log(`${step.round}: ${step.name}${isChanged ? ', another definition' : ''}: ${seconds}`)
}

interface Step {
  round: number
  name: string
  fault: GuardFault
}

function note({ name }: Step, recoveryMs: number, before: Row['calls'], after: Row['calls']): void {
  const row = table.get(name)
  const sum = (outcome: Outcome) => [outcome, (row?.calls[outcome] ?? 0) + after[outcome] - before[outcome]]
  table.set(name, {
    fault: name,
    rounds: (row?.rounds ?? 0) + 1,
    'slowest recovery, s': Math.max(row?.['slowest recovery, s'] ?? 0, Math.round(recoveryMs / 100) / 10),
    calls: Object.fromEntries(outcomes.map(sum)),
  })
}

/** Process ids of the edges. Null for one that has ended. */
function processesOf({ http, stdio }: GuardedWorld) {
  const { pid, exitCode, signalCode } = http.running?.child ?? {}
  return { http: exitCode === null && signalCode === null ? (pid ?? null) : null, stdio: stdio.pid() }
}

/** Looks for the card, the secret of the agents and the credential in logs, state folders and tables. */
async function expectNothingLeaked({ plane, ledger, stateDirs, logs, stdio }: GuardedWorld): Promise<void> {
  const { card, accessKey, credentials } = ledger.secrets
  const places = [
    ...logs.map((log, at) => ({ where: `log ${at + 1}`, text: log() })),
    { where: 'the answers of the stdio edge', text: await stdio.answers() },
    ...(await textsOfTables(plane.dataDir)),
    ...(await Promise.all(stateDirs.map(textsOfFolder))).flat(),
  ]
  // The search finds what is there.
  expect(places.filter(({ text }) => text.includes('mcp:shop/note')).length).toBeGreaterThan(2)
  const forms = [card, accessKey, ...credentials].flatMap(formsOf)
  const found = places.filter(({ text }) => forms.some((form) => text.includes(form)))
  expect(found.map(({ where }) => where)).toEqual([])
  expect(ledger.violations).toEqual([])
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((one) => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one)
}

function lastLines({ logs }: GuardedWorld): string {
  return logs.map((log) => log().split('\n').slice(-15).join('\n')).join('\n\n')
}
