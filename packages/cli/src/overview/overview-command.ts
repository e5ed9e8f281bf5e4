import type { Schema } from '@mandate/sdk/operation'
import type { Command } from 'commander'
import { connect } from '../connection/connect.ts'
import { dataFormat, type OutputOptions, withOutput } from '../output/format.ts'
import { print } from '../output/print.ts'
import { showOne } from '../output/show.ts'
import { type Column, minute } from '../output/table.ts'
import { inSentence, inWords, needs } from './in-sentence.ts'

type Overview = Schema<'Overview'>

/** Adds `overview`. */
export function addOverviewCommand(program: Command): void {
  withOutput(program.command('overview').description('what waits for you, what is wrong, and what there is')).action(
    showOverview,
  )
}

async function showOverview(output: OutputOptions): Promise<void> {
  const { client } = await connect()
  const overview = await client.call('getOverview')
  if (!dataFormat(output)) print(`${inSentence(overview)}\n`)
  showOne(overview, output, fields(overview))
}

function fields({ audit }: Overview): Column<Overview>[] {
  return [
    { title: 'Waiting for you', value: ({ needs_me }) => needs(needs_me).join(', ') },
    { title: 'Frozen', value: ({ freezes }) => freezes.map(({ name }) => name).join(', ') },
    { title: 'Last stop', value: ({ stop_reach }) => stop_reach && reached(stop_reach) },
    { title: 'Findings', value: ({ findings }) => listed(findings) },
    { title: 'Agents', value: ({ agents }) => inWords(agents.total) },
    { title: 'Governance', value: ({ agents }) => listed(agents.by_governance_state) },
    { title: 'Lifecycle', value: ({ agents }) => listed(agents.by_lifecycle_status) },
    { title: 'Coverage', value: ({ agents }) => listed(agents.by_execution_coverage_state) },
    {
      title: 'Edges',
      value: ({ edges }) =>
        `${inWords(edges.instances)} running, ${inWords(edges.instances_silent)} silent; ${inWords(edges.total)} with an edge key`,
    },
    { title: 'Decisions, 24 hours', value: ({ decisions_24h }) => listed(decisions_24h) },
    ...(audit ? [{ title: 'Audit trail', value: () => `${audit.entries.toLocaleString('en')} sealed entries` }] : []),
    { title: 'As of (UTC)', value: ({ as_of }) => minute(as_of) },
  ]
}

/** What the last stop was, how many edges confirmed it, and how long the slowest of them took. */
function reached({ kind, edges, confirmed, p99_ms }: NonNullable<Overview['stop_reach']>): string {
  const slowest = p99_ms === null ? '' : `, 99 % within ${(p99_ms / 1000).toFixed(1)} s`
  return `${kind}: ${inWords(confirmed)} of ${inWords(edges)} edges confirmed${slowest}`
}

/** The counts that are not zero, such as `2 approved, 1 proposed`. */
function listed(counts: Readonly<Record<string, number>>): string | undefined {
  const present = Object.entries(counts).filter(([, count]) => count > 0)
  if (present.length === 0) return undefined
  return present.map(([name, count]) => `${inWords(count)} ${name.replaceAll('_', ' ')}`).join(', ')
}
