// Measures what the rules of an edge cost: inspecting a text with every built-in pattern, and an MCP call through an edge with everything on
// beside an edge with everything off, in turns in one run: `npm run bench:content`. `BENCH_CALLS` is the number of calls of each side for a row,
// 1,000 by default. A row ends early after `BENCH_SECONDS` seconds, 60 by default, and says how many calls it has.
import { builtinGroups, builtinPatterns } from '../packages/content/src/builtin/catalogue.ts'
import { compileContent } from '../packages/content/src/compile-content.ts'
import type { JsonValue } from '../packages/content/src/inspect/embedded-text.ts'
import { inspect } from '../packages/content/src/inspect/inspect.ts'
import { ContentPool } from '../packages/content/src/pool/content-pool.ts'
import { inspectAnywhere } from '../packages/content/src/pool/inspect-anywhere.ts'
import { startBothSides } from './edges/both-sides.ts'
import { quantile } from './edges/edge-world.ts'
import { cpuTimeOf } from './measure/cpu-time.ts'

const calls = Number(process.env.BENCH_CALLS ?? 1_000)
const longestMs = Number(process.env.BENCH_SECONDS ?? 60) * 1000
const sentenceWith = (contact: string) =>
  `The quarterly report says that revenue rose by 12.5 % to 4,311 units; contact ${contact} or see https://example.com/a/b?c=d for more. `
const textOf = (length: number, contact = 'the sales team') => {
  const sentence = sentenceWith(contact)
  return sentence.repeat(Math.ceil(length / sentence.length)).slice(0, length)
}
const kinds: { name: string; value: { [key: string]: JsonValue } }[] = [
  { name: '4 KB of text', value: { text: textOf(4_096) } },
  { name: '4 KB of text, 30 addresses redacted', value: { text: textOf(4_096, 'sales@example.com') } },
  {
    name: '4 KB in 200 fields',
    value: {
      rows: Array.from({ length: 40 }, (_, id) => ({
        id,
        name: `Customer ${id}`,
        city: 'Springfield',
        note: `paid, order ${id}`,
        amount: 12.5,
      })),
    },
  },
]
const bindings = builtinGroups.flatMap((group) =>
  (['arguments', 'results'] as const).map((on) =>
    group === 'injection'
      ? { group, on, action: 'label' as const, label: 'suspicious' }
      : { group, on, action: 'redact' as const },
  ),
)
const rules = { version: 1, bindings, patterns: builtinPatterns }
const compiled = compileContent(rules)

console.log('Inspection, all built-in patterns\n\n| | p50 | p99 |\n|---|---|---|')
for (const { name, value } of kinds) {
  const times: number[] = []
  for (let n = -500; n < calls; n++) {
    const startMs = performance.now()
    if (compiled.arguments) inspect(compiled.arguments, value)
    if (n >= 0) times.push(performance.now() - startMs)
  }
  row(name, times)
}
const pool = new ContentPool()
const long: number[] = []
let givenUp = 0
for (let n = -2; n < 20; n++) {
  const startMs = performance.now()
  const value = textOf(1_048_000)
  const found = await inspectAnywhere({ rules, compiled, side: 'results', value, owner: 'bench' }, pool)
  if (n < 0) continue
  if (found?.uninspected) givenUp++
  else long.push(performance.now() - startMs)
}
row('1 MiB of text, in a worker thread', long)
if (givenUp > 0) console.log(`\n${givenUp} of 20 inspections of 1 MiB reached the limit of 500 ms`)
await pool.close()

const sides = await startBothSides(bindings)
try {
  console.log(
    '\nOne MCP call through an edge, with the same text in the arguments and in the result\n\n| | calls | p50 off | p50 on | p50 on − off | p99 off | p99 on | p99 on − off | CPU of the edge off | on |\n|---|---|---|---|---|---|---|---|---|---|',
  )
  for (const { name, value } of kinds) await compare(name, value, calls)
  await compare('1 MiB of text, in the result only', { size: 1_048_000 }, Math.max(5, Math.floor(calls / 10)))
} finally {
  await sides.stop()
}

/** Calls the tool through both edges in turns, and each edge first in half of the turns. The warm-up takes at most a fifth of the time. */
async function compare(name: string, value: { [key: string]: JsonValue }, count: number): Promise<void> {
  const times: [number[], number[]] = [[], []]
  let refused = 0
  let before = cpuMs()
  const startedMs = performance.now()
  const isOver = (part: number) => performance.now() - startedMs > longestMs * part
  for (let n = -Math.ceil(count / 5); n < count && !isOver(1); n++) {
    if (n < 0 && isOver(0.2)) n = 0
    if (n === 0) before = cpuMs()
    for (const at of n % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const startMs = performance.now()
      const isAnswered = await sides.call[at](value)
      if (n < 0) continue
      if (isAnswered) times[at].push(performance.now() - startMs)
      else refused++
    }
  }
  const cells = [0.5, 0.99].flatMap((part) => {
    const [off, on] = [quantile(times[0], part), quantile(times[1], part)]
    return [off, on, on - off]
  })
  const sent = times[0].length + times[1].length + refused
  const cpu = cpuMs().map((ms, at) => `${(((ms - (before[at] ?? 0)) * 2) / sent).toFixed(2)} ms`)
  const note = refused === 0 ? '' : `, without ${refused} calls that were denied`
  const measured = Math.min(times[0].length, times[1].length)
  console.log(
    `| ${name}${note} | ${measured} | ${cells.map((ms) => `${ms.toFixed(3)} ms`).join(' | ')} | ${cpu.join(' | ')} |`,
  )
}

/** CPU time that the two edges have used, with their threads. */
function cpuMs(): number[] {
  return sides.pid.map((pid) => cpuTimeOf(pid, { withChildren: false }) / 1000)
}

function row(name: string, times: number[]): void {
  console.log(`| ${name} | ${quantile(times, 0.5).toFixed(3)} ms | ${quantile(times, 0.99).toFixed(3)} ms |`)
}
