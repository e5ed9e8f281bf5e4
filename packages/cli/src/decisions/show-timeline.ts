import type { Input } from '@mandate/sdk/operation'
import { connect } from '../connection/connect.ts'
import type { OutputOptions } from '../output/format.ts'
import { dataFormat, printData } from '../output/format.ts'
import { showRows } from '../output/show.ts'
import { minute } from '../output/table.ts'
import { type DecisionFilterOptions, decisionQuery } from './decision-filters.ts'

type Query = NonNullable<Input<'getDecisionTimeline'>['query']>

interface Options extends OutputOptions, DecisionFilterOptions {
  bucket?: NonNullable<Query['bucket']>
  groupBy?: NonNullable<Query['group_by']>
}

/** Shows the number of decisions in each time bucket. The table has no empty buckets; JSON and YAML have every bucket. */
export async function showTimeline({ bucket, groupBy, json, output, query, ...filters }: Options): Promise<void> {
  const { client } = await connect()
  const asked = { ...(await decisionQuery(client, filters)), bucket, group_by: groupBy }
  const timeline = await client.call('getDecisionTimeline', { query: asked })
  const options = { json, output, query }
  const format = dataFormat(options)
  if (format) return printData(timeline, format, options)
  const columns = timeline.keys.map(({ key, name }) => ({
    title: name ?? key,
    value: ({ counts }: (typeof timeline.buckets)[number]) => counts[key] ?? 0,
  }))
  const filled = timeline.buckets.filter(({ counts }) => Object.keys(counts).length > 0)
  const start = { title: 'START (UTC)', value: ({ start }: (typeof timeline.buckets)[number]) => minute(start) }
  await showRows(filled, options, [start, ...columns], 'No decisions match.')
}
