import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { ChainHead } from '@mandate/policy/audit-chain'
import { print } from '../print.ts'
import { loadKeys } from './load-keys.ts'
import { verifyExport } from './verify-export.ts'

export interface AuditVerifyOptions {
  /** File or URL of the service's public key. */
  key: string
  /** `<seq>:<chain hash>` of a head noted earlier, which the export must pass through. */
  through?: string | undefined
}

/** Verifies an export (`-` reads standard input), prints the verdict as JSON and sets exit code 1 when it does not hold. */
export async function auditVerifyCommand(file: string, { key, through }: AuditVerifyOptions): Promise<void> {
  const keys = await loadKeys(key)
  const options = { through: through === undefined ? undefined : readHead(through) }
  const verdict = await verifyExport(linesOf(file), keys, options)
  print(JSON.stringify(verdict, null, 2))
  if (!verdict.valid) process.exitCode = 1
}

function readHead(text: string): ChainHead {
  const [, seq, chain_hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? []
  if (seq === undefined || chain_hash === undefined) throw new Error('--through must be <seq>:<64 hex digits>')
  return { seq: Number(seq), chain_hash }
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const input = file === '-' ? process.stdin : createReadStream(file)
  // A stream that fails before anyone listens would end the process.
  const failed = new Promise<never>((_, reject) => input.once('error', reject))
  failed.catch(() => {})
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]()
  for (;;) {
    const next = await Promise.race([lines.next(), failed])
    if (next.done) return
    yield next.value
  }
}
