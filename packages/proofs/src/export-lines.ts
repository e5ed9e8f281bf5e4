import type { AuditExportLine, SealableEntry } from '@mandate/contract/audit/audit-chain'
import { isRecord } from '@mandate/contract/fields/is-record'

/** Thrown if a file is not text in UTF-8, such as an archive. */
export class NotText extends Error {
  override readonly name = 'NotText'

  constructor() {
    super('the export is not text in UTF-8')
  }
}

/**
 * Splits an export into its lines. Only `\n` ends a line: names may contain other separators, such as U+2028. Leaves out the byte order mark
 * that some editors write. @throws NotText
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Uint8Array) => {
    let text: string
    try {
      text = decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw new NotText()
    }
    if (text.includes('\0')) throw new NotText()
    return text
  }
  let rest = ''
  for await (const chunk of chunks) {
    const text = decode(chunk)
    if (!text.includes('\n')) {
      rest += text
      continue
    }
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  rest += decode()
  if (rest !== '') yield rest
}

/**
 * Parses one line of an export. Returns undefined for any other text.
 *
 * The types are those of `AuditExportLine`. They are checked here without a schema, because the security policy of the dashboard
 * forbids what the schema library does. A line may have only fields that a hash or a signature covers, and each field once, because people
 * also read exports with other programs. No step of the verification may fail on the line, and what a hash leaves out if it is empty must not be
 * empty.
 */
export function readLine(text: string): AuditExportLine | undefined {
  const line = parse(text)
  if (!isRecord(line)) return undefined
  const kinds = Object.keys(isPart).filter((kind) => Object.hasOwn(line, kind)) as Kind[]
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1 || !isPart[kind](line[kind]) || hasNameTwice(text, line)) return undefined
  if (kind === 'seal' ? !isEntry(line) : Object.keys(line).length > 1) return undefined
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
  seal: (part: unknown) =>
    isRecord(part) && isHashed(part) && isHash(part.chain_hash) && hasOnly(part, ['seq', 'entry_hash', 'chain_hash']),
  checkpoint: (part: unknown) =>
    isRecord(part) &&
    [part.tenant_id, part.signed_at, part.kid, part.signature].every(isText) &&
    isSeq(part.seq) &&
    isHash(part.chain_hash) &&
    (part.previous_seq === undefined || part.previous_seq === null || isCount(part.previous_seq)) &&
    hasOnly(part, ['tenant_id', 'seq', 'chain_hash', 'signed_at', 'previous_seq', 'kid', 'signature']),
  withheld: (part: unknown) => isHashOnly(part),
  missing: (part: unknown) => isHashOnly(part),
  // The signature covers every field of the end.
  end: (part: unknown) =>
    isRecord(part) &&
    [part.tenant_id, part.exported_at, part.kid, part.signature].every(isText) &&
    [part.after, part.seq, part.last_seal, part.last_checkpoint, part.pending].every(isCount) &&
    isHash(part.shape) &&
    (part.head === null || (isRecord(part.head) && isSeq(part.head.seq) && isHash(part.head.chain_hash))) &&
    Array.isArray(part.faults) &&
    part.faults.every((fault) => isRecord(fault) && isText(fault.reason)),
}

const isHashed = (part: Record<string, unknown>) => isSeq(part.seq) && isHash(part.entry_hash)

const isHashOnly = (part: unknown) => isRecord(part) && isHashed(part) && hasOnly(part, ['seq', 'entry_hash'])

const entryFields = [
  ...[
    'tenant_id',
    'category',
    'id',
    'source',
    'event_type',
    'outcome',
    'actor',
    'api_key',
    'resource',
    'agent_id',
    'environment_id',
  ],
  ...['details', 'request_id', 'ip', 'user_agent', 'created_at', 'seal'],
]

function isEntry(line: Record<string, unknown>): line is SealableEntry {
  return (
    isEntryWithId(line) &&
    isText(line.tenant_id) &&
    hasOnly(line, entryFields) &&
    isRecord(line.actor) &&
    hasOnly(line.actor, ['type', 'user_id', 'name', 'email']) &&
    isRecord(line.resource) &&
    hasOnly(line.resource, ['type', 'id', 'name']) &&
    isRecord(line.details) &&
    (line.api_key === undefined || (isRecord(line.api_key) && hasOnly(line.api_key, ['id', 'prefix', 'name']))) &&
    [line.agent_id, line.environment_id].every((id) => id === undefined || (isText(id) && id !== ''))
  )
}

const isEntryWithId = (line: unknown): line is Record<string, unknown> =>
  isRecord(line) && [line.id, line.event_type, line.created_at].every(isText)

const hasOnly = (record: Record<string, unknown>, names: readonly string[]) =>
  Object.keys(record).every((name) => names.includes(name))

/** Whether an object in the text has a name twice. `JSON.parse` keeps the last value, and other programs may show the first. */
export function hasNameTwice(text: string, value: unknown): boolean {
  // In JSON, a text before a colon is a name. The pattern has no alternatives, because a long text would exceed the stack with them.
  const written = text.match(/"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?/g)?.filter((one) => one.endsWith(':')).length ?? 0
  return written !== namesIn(value)
}

function namesIn(value: unknown): number {
  let count = 0
  const open: unknown[] = [value]
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one !== 'object' || one === null) continue
    const parts = Object.values(one)
    if (!Array.isArray(one)) count += parts.length
    for (const part of parts) open.push(part)
  }
  return count
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
