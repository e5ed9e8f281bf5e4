import type { AuditExportLine, SealableEntry } from '@mandate/contract/audit/audit-chain'
import { isRecord } from '@mandate/contract/fields/is-record'

/** Splits an export into its lines. Only `\n` ends a line: names may contain other separators, such as U+2028. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest = ''
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    if (!text.includes('\n')) {
      rest += text
      continue
    }
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}

/**
 * Parses one line of an export. Returns undefined for any other text.
 *
 * The types are those of `AuditExportLine`. They are checked here without a schema, because the security policy of the dashboard
 * forbids what the schema library does. Nothing is removed from the line: the hashes cover what it has. The checks are those
 * that the hashes and signatures need: no step may fail on the line, and what a hash leaves out if it is empty must not be empty.
 */
export function readLine(text: string): AuditExportLine | undefined {
  const line = parse(text)
  if (!isRecord(line)) return undefined
  const kinds = Object.keys(isPart).filter((kind) => Object.hasOwn(line, kind)) as Kind[]
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1 || !isPart[kind](line[kind])) return undefined
  if (kind === 'seal' && !isEntry(line)) return undefined
  return line as unknown as AuditExportLine
}

/** True for an entry without a seal. The export of a member or a viewer has only such lines. */
export function isUnsealedEntry(text: string): boolean {
  const line = parse(text)
  return isEntryWithId(line) && !Object.keys(isPart).some((kind) => Object.hasOwn(line, kind))
}

type Kind = keyof typeof isPart

const isText = (value: unknown) => typeof value === 'string'
const isHash = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const isSeq = (value: unknown) => isCount(value) && value !== 0

/** What each kind of line has in the field after which it is named. */
const isPart = {
  seal: (part: unknown) => isHashOnly(part) && isHash(part.chain_hash),
  checkpoint: (part: unknown) =>
    isRecord(part) &&
    [part.tenant_id, part.signed_at, part.kid, part.signature].every(isText) &&
    isSeq(part.seq) &&
    isHash(part.chain_hash) &&
    (part.previous_seq === undefined || part.previous_seq === null || isCount(part.previous_seq)),
  withheld: (part: unknown) => isHashOnly(part),
  missing: (part: unknown) => isHashOnly(part),
  end: (part: unknown) =>
    isRecord(part) &&
    [part.tenant_id, part.exported_at, part.kid, part.signature].every(isText) &&
    [part.after, part.seq, part.last_seal, part.last_checkpoint, part.pending].every(isCount) &&
    isHash(part.shape) &&
    (part.head === null || (isRecord(part.head) && isSeq(part.head.seq) && isHash(part.head.chain_hash))) &&
    Array.isArray(part.faults) &&
    part.faults.every((fault) => isRecord(fault) && isText(fault.reason)),
}

function isHashOnly(part: unknown): part is Record<string, unknown> {
  return isRecord(part) && isSeq(part.seq) && isHash(part.entry_hash)
}

function isEntry(line: Record<string, unknown>): line is SealableEntry {
  return (
    isEntryWithId(line) &&
    isText(line.tenant_id) &&
    [line.actor, line.resource, line.details].every(isRecord) &&
    (line.api_key === undefined || isRecord(line.api_key)) &&
    [line.agent_id, line.environment_id].every((id) => id === undefined || (isText(id) && id !== ''))
  )
}

const isEntryWithId = (line: unknown): line is Record<string, unknown> =>
  isRecord(line) && [line.id, line.event_type, line.created_at].every(isText)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
