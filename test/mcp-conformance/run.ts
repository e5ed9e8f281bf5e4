import { compare } from './compare.ts'
import { type Results, runSuite } from './run-suite.ts'
import { comparisons, startWays, type Way } from './ways.ts'

/** Revisions with server scenarios. The command line may name some of them. */
const all = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
const named = process.argv.slice(2)
const revisions = named.length > 0 ? named : all

const running = await startWays()
let differences = 0
const repeated = new Map<Way, number>()
try {
  for (const revision of revisions) {
    for (const ways of comparisons) {
      const results = new Map<Way, Results>()
      for (const way of ways) {
        const { results: found, repeats } = await runSuite(running.urls[way], revision)
        results.set(way, found)
        repeated.set(way, (repeated.get(way) ?? 0) + repeats)
      }
      const { table, differing } = compare(results)
      process.stdout.write(`\nRevision ${revision}\n\n${table}\n`)
      differences += differing
    }
  }
} finally {
  await running.stop()
}
const repeatedOf = (ways: readonly Way[]) => ways.map((way) => `${way} ${repeated.get(way)}`).join(', ')
const direct = comparisons.map(([way]) => way)
const edges = comparisons.flatMap(([, ...ways]) => ways)
process.stdout.write(`
Runs that were repeated because a scenario did not end
  without an edge: ${repeatedOf(direct)}
  with an edge: ${repeatedOf(edges)}
`)
process.stdout.write(`\n${differences} checks differ between the server without an edge and with an edge\n`)
process.exitCode = differences === 0 ? 0 : 1
