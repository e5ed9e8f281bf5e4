import type { Answer, Input } from '@mandate/sdk/operation'
import { connect } from '../connection/connect.ts'
import { daysFrom } from '../options/time-option.ts'
import { dataFormat, type OutputOptions, printData } from '../output/format.ts'
import { showRows } from '../output/show.ts'
import type { Column } from '../output/table.ts'

interface Options extends OutputOptions {
  from?: string
  to?: string
  groupBy?: NonNullable<NonNullable<Input<'getUsage'>['query']>['group_by']>
}

type Counts = Pick<Answer<'getUsage'>['data'][number], 'allow' | 'deny' | 'require_approval'> & { name: string }

/** Shows how many calls were governed. The last line has the totals. */
export async function showUsage({ from, to, groupBy, ...options }: Options): Promise<void> {
  const days = daysFrom({ from, to })
  const { client } = await connect()
  const usage = await client.call('getUsage', { query: { ...days, group_by: groupBy } })
  const format = dataFormat(options)
  if (format) return printData(usage, format, options)
  const rows: Counts[] = usage.data.map(({ key, name, ...counts }) => ({ ...counts, name: name ?? key }))
  const title = (groupBy ?? 'day').toUpperCase()
  await showRows([...rows, { ...usage.total, name: 'total' }], options, columns(title), 'No calls.')
}

const columns = (title: string): Column<Counts>[] => [
  { title, value: ({ name }) => name },
  { title: 'ALLOW', value: ({ allow }) => allow },
  { title: 'DENY', value: ({ deny }) => deny },
  { title: 'REQUIRE_APPROVAL', value: (counts) => counts.require_approval },
]
