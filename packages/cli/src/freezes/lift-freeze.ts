import { connect } from '../connection/connect.ts'
import type { OutputOptions } from '../output/format.ts'
import { showDone } from '../output/show.ts'
import { freezeId } from './find-freeze.ts'

export async function liftFreeze(named: string, { reason, ...output }: OutputOptions & { reason: string }) {
  const { client } = await connect()
  const freeze_id = await freezeId(client, named)
  const lifted = await client.call('liftFreeze', { path: { freeze_id }, body: { reason } })
  showDone(`The freeze of ${lifted.name} is lifted.`, lifted, output)
}
