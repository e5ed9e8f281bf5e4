import { createReadStream } from 'node:fs'
import { readHead } from '@mandate/contract/audit/audit'
import { linesOf, NotText } from '@mandate/proofs/export-lines'
import { type ExportVerdict, verifyExport } from '@mandate/proofs/verify-export'
import { Failure, usageFailure } from '../invocation/failure.ts'
import { invocation, pathOf } from '../invocation/invocation.ts'
import { dataFormat, type OutputOptions, printData } from '../output/format.ts'
import { note } from '../output/note.ts'
import { loadKeys } from './load-keys.ts'

export interface AuditVerifyOptions extends OutputOptions {
  /** File or URL of the service's public key. */
  key: string
  /** The head of the chain at an earlier time, as `<seq>:<chain hash>`. The export must contain it. */
  through?: string | undefined
  /** Whether an export that does not contain the whole trail is reported as invalid. */
  complete?: boolean | undefined
  /** Expected organization id of the trail. */
  tenant?: string | undefined
}

/** Verifies an export and prints the verdict as JSON. Sets exit code 1 if the export is invalid, and 3 if it has no seals. `-` reads standard input. */
export async function auditVerifyCommand(
  file: string,
  { key, through, complete, tenant, ...output }: AuditVerifyOptions,
): Promise<void> {
  const keys = await loadKeys(key)
  const head = through === undefined ? undefined : readHead(through)
  if (through !== undefined && !head) throw usageFailure('--through must be <seq>:<64 hex digits>')
  const lines = linesOf(file === '-' ? invocation().stdin : createReadStream(pathOf(file)))
  const options = { through: head, complete, tenantId: tenant?.toLowerCase() }
  const verdict = await verifyExport(lines, keys, options).catch((error) => {
    if (error instanceof NotText) throw new Failure(`${file} is not text in UTF-8; unpack it, or export it again`)
    throw error
  })
  printData(verdict, dataFormat(output) ?? 'json', output)
  if ('verifiable' in verdict) {
    note('not verifiable: exported without seals; only the exports of managers and owners have seals')
    invocation().exitCode = notVerifiable
  } else if (!verdict.valid) {
    if (isEmpty(verdict)) note(emptyFile)
    invocation().exitCode = 1
  }
}

/** Whether the file has no line. It can be an export without seals that has no entry, or an export with seals that someone emptied. */
function isEmpty({ entries, withheld, head, first_bad }: ExportVerdict) {
  return entries + withheld === 0 && !head && first_bad?.reason === 'head_missing'
}

const emptyFile =
  'the file is empty and proves nothing: an export without seals is empty if no entry matches, and an export with seals never is'

/** Exit code for an export without seals. Not 0, because anyone can remove all seals from a file. */
const notVerifiable = 3
