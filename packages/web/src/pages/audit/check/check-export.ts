import type { SealableEntry } from '@mandate/contract/audit/audit-chain'
import { entryHashIfAny, type FirstBad, nextChainHash } from '@mandate/proofs/audit-chain'
import { linesOf, readLine } from '@mandate/proofs/export-lines'
import { type PublishedKey, successionFault } from '@mandate/proofs/key-succession'
import { type ExportVerdict, verifyExport } from '@mandate/proofs/verify-export'
import type { Entry } from '../entry-sentence.ts'

// Checks an export with the code of `mandate audit verify`. The page loads this file when a person asks for a check.

/** What does not fit: a fault of the export, or an entry that the page shows and the export does not have like this. */
export interface Misfit {
  reason: FirstBad['reason'] | 'shown_otherwise' | 'not_exported'
  seq?: number | undefined
  /** The entry, as the page or the export has it. Undefined if neither has it. */
  entry?: Entry | undefined
}

export type Outcome =
  /** `unchecked` is the count of shown entries that have no seal yet. */
  | { is: 'fits'; verdict: ExportVerdict; unchecked: number }
  | { is: 'misfit'; misfit: Misfit }
  | { is: 'bad keys'; text: string }
  | { is: 'not verifiable' }

export interface Checked {
  chunks: readonly Uint8Array[]
  /** The public keys of the server, newest first. */
  keys: readonly PublishedKey[]
  tenantId: string
  /** The entries that the page shows. */
  shown: readonly Entry[]
}

/**
 * Verifies an export, and compares it with the entries that the page shows.
 * @param onLines Called after each slice of work with the number of checked lines. The check waits for the promise.
 */
export async function checkExport(
  { chunks, keys, tenantId, shown }: Checked,
  onLines: (count: number) => Promise<void>,
): Promise<Outcome> {
  const fault = successionFault(keys)
  if (fault !== undefined) return { is: 'bad keys', text: fault }
  const comparison = new Comparison(shown)
  const verdict = await verifyExport(
    inSlices(linesOf(each(chunks)), onLines),
    keys.map(({ public_key_pem }) => public_key_pem),
    { tenantId, onEntry: (entry, seal) => comparison.compare(entry, seal) },
  )
  if ('verifiable' in verdict) return { is: 'not verifiable' }
  if (verdict.first_bad) return { is: 'misfit', misfit: await named(verdict.first_bad, shown, chunks) }
  const { misfit, unsealed } = comparison.result()
  if (misfit) return { is: 'misfit', misfit }
  const [added] = unsealed
  // No entry waits for a seal, so the service did not write this one.
  if (added && verdict.pending === 0) return { is: 'misfit', misfit: { reason: 'entry_unsealed', entry: added } }
  return { is: 'fits', verdict, unchecked: unsealed.length }
}

/** Compares the entries that the page shows with those of the export, which are what was sealed. */
class Comparison {
  private readonly shown: ReadonlyMap<string, Entry>
  private readonly exported = new Set<string>()
  private first: Misfit | undefined

  constructor(shown: readonly Entry[]) {
    this.shown = new Map(shown.map((entry) => [entry.id, entry]))
  }

  compare(exported: SealableEntry, seal: { seq: number; entry_hash: string; chain_hash: string }): void {
    const entry = this.shown.get(exported.id)
    if (!entry) return
    this.exported.add(entry.id)
    const { tenant_id, category } = exported
    const isSame =
      entryHashIfAny({ ...entry, tenant_id, category }) === seal.entry_hash &&
      // An entry that waited for its seal when the page was read has no number.
      (entry.seq === undefined || (entry.seq === seal.seq && entry.hash === seal.chain_hash && isAfter(entry, seal)))
    if (!isSame) this.first ??= { reason: 'shown_otherwise', seq: seal.seq, entry }
  }

  /** `unsealed` are the shown entries without a number that the export does not have. */
  result(): { misfit: Misfit | undefined; unsealed: readonly Entry[] } {
    const missing = [...this.shown.values()].filter(({ id }) => !this.exported.has(id))
    const { sealed = [], unsealed = [] } = Object.groupBy(missing, ({ seq }) =>
      seq === undefined ? 'unsealed' : 'sealed',
    )
    const [entry] = sealed.toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
    const misfit = this.first ?? (entry && { reason: 'not_exported' as const, seq: entry.seq, entry })
    return { misfit, unsealed }
  }
}

/** Whether the shown hash of the entry before leads to the seal. */
const isAfter = ({ previous_hash: before }: Entry, seal: { seq: number; entry_hash: string; chain_hash: string }) =>
  before === undefined ||
  (/^[0-9a-f]{64}$/.test(before) && nextChainHash(before, seal.seq, seal.entry_hash) === seal.chain_hash)

/** Finds the entry of a fault on the page or in the export. */
async function named({ reason, seq, entry_id }: FirstBad, shown: readonly Entry[], chunks: readonly Uint8Array[]) {
  const isIt = (entry: Entry) =>
    entry_id === undefined ? seq !== undefined && entry.seq === seq : entry.id === entry_id
  const entry = shown.find(isIt)
  if (entry || entry_id === undefined) return { reason, seq, entry }
  for await (const text of linesOf(each(chunks))) {
    const line = readLine(text)
    if (line && 'seal' in line && line.id === entry_id)
      return { reason, seq, entry: { ...line, seq: line.seal.seq } as Entry }
  }
  return { reason, seq }
}

/** A slice of work is short enough for the page to react. */
const sliceMs = 12

/** Passes lines through, and lets the page work after each slice. */
async function* inSlices(lines: AsyncIterable<string>, onLines: (count: number) => Promise<void>) {
  let count = 0
  let since = performance.now()
  for await (const line of lines) {
    yield line
    count++
    if (performance.now() - since < sliceMs) continue
    await onLines(count)
    since = performance.now()
  }
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items
}
