import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { connect } from '../connection/connect.ts'
import { invocation, pathOf } from '../invocation/invocation.ts'
import { note } from '../output/note.ts'
import { print } from '../output/print.ts'
import { printable } from '../output/printable.ts'
import { type AuditFilterOptions, auditQuery } from './audit-filters.ts'

/** Writes an export of the trail unchanged to standard output or to a file. The file appears only when it is complete. */
export async function exportTrail({ file, ...filters }: AuditFilterOptions & { file?: string }): Promise<void> {
  const { client } = await connect()
  const { body } = await client.open('exportAuditEntries', { query: await auditQuery(client, filters) })
  const entries = Readable.fromWeb(body as never)
  const { stdout } = invocation()
  if (file !== undefined) await writeFileWhole(file, entries)
  else if (stdout.isTTY) for await (const line of createInterface({ input: entries })) print(printable(line))
  else await pipeline(entries, stdout, { end: false })
}

async function writeFileWhole(file: string, entries: Readable): Promise<void> {
  const path = pathOf(file)
  const part = `${path}.part`
  try {
    await pipeline(entries, createWriteStream(part, { mode: 0o600 }))
    await rename(part, path)
  } finally {
    await rm(part, { force: true })
  }
  note(`${file} is written; mandate audit verify checks it.`)
}
