import { connect } from '../connection/connect.ts'
import { Failure } from '../invocation/failure.ts'
import type { OutputOptions } from '../output/format.ts'
import { showOne } from '../output/show.ts'

/** Asks the control plane to recompute the hash chain of the whole trail. @throws Failure if the trail is invalid */
export async function checkTrail({ through, ...output }: OutputOptions & { through?: string }): Promise<void> {
  const { client } = await connect()
  const verdict = await client.call('verifyAuditTrail', { query: { through }, timeoutMs: null })
  showOne(verdict, output, [
    { title: 'Valid', value: ({ valid }) => (valid ? 'yes' : 'no') },
    { title: 'Entries', value: ({ entries }) => entries },
    { title: 'Waiting', value: ({ pending }) => pending },
    { title: 'Head', value: ({ head }) => head && `${head.seq}:${head.chain_hash}` },
    {
      title: 'First fault',
      value: ({ first_bad: bad }) => bad && [bad.reason, bad.seq, bad.entry_id].filter(Boolean).join(' '),
    },
  ])
  if (!verdict.valid) throw new Failure(`the trail is invalid: ${verdict.first_bad?.reason ?? 'no reason given'}`)
}
