import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { connect } from '../connection/connect.ts'
import { invocation } from '../invocation/invocation.ts'
import { note } from '../output/note.ts'
import { endWithOutput, print } from '../output/print.ts'
import { printable } from '../output/printable.ts'
import { replaceFile } from '../output/replace-file.ts'
import { type AuditFilterOptions, auditQuery } from './audit-filters.ts'

/** Writes an export of the trail unchanged to standard output or to a file. The file appears only when it is complete. */
export async function exportTrail({ file, ...filters }: AuditFilterOptions & { file?: string }): Promise<void> {
  const { client } = await connect()
  const { body } = await client.open('exportAuditEntries', { query: await auditQuery(client, filters) })
  const seals = { found: false }
  const entries = Readable.from(watchSeals(body as AsyncIterable<Uint8Array>, seals), { objectMode: false })
  const { stdout } = invocation()
  if (file === undefined) endWithOutput()
  if (file !== undefined) await replaceFile(file, entries, 0o600)
  else if (stdout.isTTY) for await (const line of createInterface({ input: entries })) print(printable(line))
  else await pipeline(entries, stdout, { end: false })
  const written =
    file === undefined ? '' : `${file} is written${seals.found ? '; mandate audit verify checks it.' : '.'}`
  const without = seals.found
    ? ''
    : 'The export has no seals, so it cannot be verified: only managers and owners get seals.'
  const said = [written, without].filter(Boolean).join(' ')
  if (said) note(said)
}

/** Passes an export through, and sets `seals.found`. Reads only the first line: if the export has seals, that line has one of these fields. */
async function* watchSeals(chunks: AsyncIterable<Uint8Array>, seals: { found: boolean }): AsyncGenerator<Uint8Array> {
  let first: string | undefined = ''
  for await (const chunk of chunks) {
    if (first !== undefined) {
      first += Buffer.from(chunk).toString('latin1')
      if (first.includes('\n')) {
        const line = JSON.parse(first.slice(0, first.indexOf('\n'))) as object
        seals.found = ['seal', 'checkpoint', 'withheld', 'missing', 'end'].some((name) => name in line)
        first = undefined
      }
    }
    yield chunk
  }
}
