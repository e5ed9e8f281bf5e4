import { connect } from '../connection/connect.ts'
import { counted } from '../output/counted.ts'
import type { OutputOptions } from '../output/format.ts'
import { note } from '../output/note.ts'
import { showOne } from '../output/show.ts'

/** Shows what proves the audit trail. Does not verify the trail. */
export async function showProof(options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const proof = await client.call('getAuditProof', {})
  const result = ({ valid, entries, took_ms, by }: NonNullable<typeof proof.last_verification>) =>
    `${valid ? 'valid' : 'NOT VALID'}, ${counted(entries, 'entry')} in ${took_ms} ms, ${by ? `by ${by.name ?? by.user_id}` : 'daily'}`
  showOne(proof, options, [
    { title: 'Entries', value: ({ entries }) => entries },
    { title: 'First', value: ({ first_at }) => first_at },
    { title: 'Sealed through', value: ({ sealed_through }) => sealed_through },
    { title: 'Waiting', value: ({ waiting }) => waiting },
    { title: 'Head', value: ({ head }) => head && `${head.seq}:${head.chain_hash}` },
    { title: 'Verified', value: ({ last_verification }) => last_verification?.at },
    { title: 'Result', value: ({ last_verification }) => last_verification && result(last_verification) },
  ])
}

/** Starts a verification of the whole trail on the control plane. */
export async function verifyNow(): Promise<void> {
  const { client } = await connect()
  await client.call('startAuditVerification', {})
  note('The verification is started. `mandate audit proof` shows its result.')
}
