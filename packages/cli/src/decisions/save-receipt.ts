import { writeFile } from 'node:fs/promises'
import { connect } from '../connection/connect.ts'
import { pathOf } from '../invocation/invocation.ts'
import { note } from '../output/note.ts'
import { print } from '../output/print.ts'
import { jsonText } from '../output/printable.ts'

/** Writes the receipt of a decision to a file or to standard output. */
export async function saveReceipt(decision_id: string, { file }: { file?: string }): Promise<void> {
  const { client } = await connect()
  const receipt = await client.call('getDecisionReceipt', { path: { decision_id } })
  if (file === undefined) return print(jsonText(receipt))
  await writeFile(pathOf(file), `${JSON.stringify(receipt)}\n`, { mode: 0o600 })
  note(`${file} is written; mandate decisions verify checks it.`)
}
