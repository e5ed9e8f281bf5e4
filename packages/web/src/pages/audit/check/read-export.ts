import type { Input } from '@mandate/sdk'
import { client } from '../../../api/client.ts'
import { numberOf } from '../../../words/words.ts'
import { mostEntries } from './period.ts'

/** More lines than the entries of a period, their checkpoints, and the rest of the first and the last batch of seals. */
const mostLines = 3 * mostEntries
const mostBytes = 100_000_000
const newline = 10

export interface Export {
  chunks: Uint8Array<ArrayBuffer>[]
  lines: number
}

/** Reads an export into memory. @throws if it is larger than a browser should check, or if it ends early */
export async function readExport(query: Input<'exportAuditEntries'>['query'], signal: AbortSignal): Promise<Export> {
  const { body } = await client.open('exportAuditEntries', { query, signal })
  const found: Export = { chunks: [], lines: 0 }
  let bytes = 0
  const reader = body?.getReader()
  for (;;) {
    const part = await reader?.read().catch((error) => {
      throw signal.aborted ? error : new Error('The export ended early. Check your connection, and try again.')
    })
    if (!part || part.done) return found
    found.chunks.push(part.value)
    bytes += part.value.length
    for (const byte of part.value) if (byte === newline) found.lines++
    if (bytes > mostBytes || found.lines > mostLines) {
      await reader?.cancel()
      throw new Error(
        `The export of this period is too large for a browser: it has more than ${numberOf(mostLines)} lines or ${numberOf(mostBytes / 1_000_000)} MB. Choose a shorter period, or export the trail and check it on the command line.`,
      )
    }
  }
}
