import { text } from 'node:stream/consumers'
import { isUuid } from '@mandate/contract/fields/is-uuid'
import { connect } from '../connection/connect.ts'
import { invocation } from '../invocation/invocation.ts'
import type { OutputOptions } from '../output/format.ts'
import { showRows } from '../output/show.ts'
import { allPatterns, patternIn } from './patterns.ts'

/** Finds patterns in the text on standard input. Prints places, never the text. */
export async function testPatterns({ pattern, ...output }: OutputOptions & { pattern?: string[] }): Promise<void> {
  const { client } = await connect()
  const patterns = await allPatterns(client)
  const pattern_ids = pattern?.map((named) => (isUuid(named) ? named : patternIn(patterns, named)))
  const body = { text: await text(invocation().stdin), ...(pattern_ids && { pattern_ids }) }
  const { matches } = await client.call('testContentPatterns', { body })
  const nameOf = new Map(patterns.map(({ id, name }) => [id, name]))
  await showRows(
    matches,
    output,
    [
      { title: 'PATTERN', value: ({ pattern_id }) => nameOf.get(pattern_id) ?? pattern_id },
      { title: 'START', value: ({ start }) => start },
      { title: 'END', value: ({ end }) => end },
    ],
    'No pattern matches.',
  )
}
