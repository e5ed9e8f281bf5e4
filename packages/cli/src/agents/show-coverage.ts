import { connect } from '../connection/connect.ts'
import { agentId } from '../find/find-agent.ts'
import type { OutputOptions } from '../output/format.ts'
import { showOne } from '../output/show.ts'
import { minute } from '../output/table.ts'

/** Shows the evidence for an agent: what its runtime attested, and what edges observed. */
export async function showCoverage(named: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const coverage = await client.call('getExecutionCoverage', { path: { agent_id: await agentId(client, named) } })
  showOne(coverage, options, [
    { title: 'Coverage', value: ({ state }) => state },
    { title: 'Attested', value: ({ attested }) => attested && `${attested.mode}, ${minute(attested.attested_at)} UTC` },
    { title: 'Attested tools', value: ({ attested }) => attested?.tools.join(' ') },
    {
      title: 'Observed',
      value: ({ observed: seen }) =>
        seen && `${seen.actions_mediated} of ${seen.actions_seen} mediated, ${seen.unmediated_seen} unmediated`,
    },
    { title: 'Until', value: ({ observed }) => observed && `${minute(observed.window_end)} UTC` },
    { title: 'Open findings', value: ({ findings }) => findings.map(({ type }) => type).join(', ') || 'none' },
  ])
}
