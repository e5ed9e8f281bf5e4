import { appendFile, stat } from 'node:fs/promises'
import { edgeEndpoints } from '@mandate/contract/edge'
import type { Logger } from 'pino'
import { type ControlPlane, ControlPlaneAway, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import type { DecisionKey } from './decision-key.ts'
import { type ChainedRecord, headAfter } from './record-chain.ts'
import type { DecisionRecord, KeptArguments } from './spool.ts'

/**
 * The file for decision records that the control plane will never accept, with one record per line. `maxBytes` is the maximum
 * size of the file.
 */
export interface Refusals {
  file: string
  maxBytes: number
}

/** Decisions without a signature. `kept` is what is kept of the arguments of these and perhaps other decisions. */
export interface UnsignedBatch {
  decisions: readonly DecisionRecord[]
  kept: readonly KeptArguments[]
}

/**
 * Sends decisions without a signature. The control plane stores each decision once, even if it is sent twice. Some decisions are
 * refused permanently, for example those of an agent that the edge no longer serves. They are moved to a separate file, so that
 * they do not block other decisions.
 * @throws ControlPlaneAway, and the errors of the disk
 */
export async function sendDecisions(
  plane: ControlPlane,
  { decisions, kept }: UnsignedBatch,
  refusals: Refusals,
  log: Logger,
): Promise<void> {
  if (decisions.length === 0) return
  try {
    await post(plane, { decisions, ...keptOf(decisions, kept) })
  } catch (error) {
    if (!(error instanceof ControlPlaneRefused)) throw error
    const parts = smallerParts(decisions)
    if (parts.length === 1) return await putAside(decisions, refusals, error.message, log)
    for (const part of parts) await sendDecisions(plane, { decisions: part, kept }, refusals, log)
  }
}

/** Decisions of one chain, in the order of the chain, and the key that signs them. */
export interface SignedBatch {
  decisions: readonly ChainedRecord[]
  /** What is kept of the arguments of these and perhaps other decisions. */
  kept: readonly KeptArguments[]
  key: DecisionKey
}

/**
 * Sends decisions with the signature of their key. The control plane answers which of them it refuses permanently. They are
 * moved to a separate file. If it refuses the whole batch, parts of the batch are sent.
 * @throws ControlPlaneAway, KeyUnknown, and the errors of the disk
 */
export async function sendSigned(
  plane: ControlPlane,
  { decisions, kept, key }: SignedBatch,
  refusals: Refusals,
  log: Logger,
): Promise<void> {
  const last = decisions.at(-1)
  if (last === undefined) return
  const lastHash = hashOf(last)
  if (lastHash === null) {
    await putAside([last], refusals, 'the record has no canonical JSON, so it cannot be signed', log)
    return await sendSigned(plane, { decisions: decisions.slice(0, -1), kept, key }, refusals, log)
  }
  try {
    const body = { decisions, ...keptOf(decisions, kept), kid: key.kid, signature: key.sign(lastHash) }
    const { refused = [] } = await post(plane, body)
    for (const [reason, ids] of idsByReason(refused)) {
      const named = decisions.filter(({ decision_id }) => ids.has(decision_id))
      if (named.length > 0) await putAside(named, refusals, reason, log)
    }
  } catch (error) {
    if (!(error instanceof ControlPlaneRefused)) throw error
    if (error.status === 400 && unknownKey.test(error.message)) throw new KeyUnknown(error.message)
    if (decisions.length === 1) return await putAside(decisions, refusals, error.message, log)
    const middle = Math.ceil(decisions.length / 2)
    for (const part of [decisions.slice(0, middle), decisions.slice(middle)])
      await sendSigned(plane, { decisions: part, kept, key }, refusals, log)
  }
}

/** Thrown if the control plane does not know the key of a batch. Register the key and send the batch again. */
export class KeyUnknown extends Error {
  override readonly name = 'KeyUnknown'
}

const unknownKey = /: kid\b/

/** Returns null for a record that was changed on disk so that it has no RFC 8785 form. */
function hashOf(record: ChainedRecord): string | null {
  try {
    return headAfter(record).hash
  } catch {
    return null
  }
}

/** The part of a request about the arguments of its decisions. */
function keptOf(decisions: readonly DecisionRecord[], kept: readonly KeptArguments[]) {
  if (kept.length === 0) return {}
  const ids = new Set(decisions.map(({ decision_id }) => decision_id))
  return { kept_arguments: kept.filter(({ decision_id }) => ids.has(decision_id)) }
}

async function post(plane: ControlPlane, body: object) {
  try {
    const asked = { method: 'POST', path: '/edge/decisions', body, timeoutMs: 30_000 } as const
    const { data } = edgeEndpoints.recordDecisions.answers[202].safeParse((await plane.ask(asked)).body)
    // A proxy may answer with a 2xx status while the control plane cannot be reached. So the body of the answer is checked too.
    if (!data) throw new ControlPlaneAway('the control plane sent an invalid response to a report of decisions')
    return data
  } catch (error) {
    // The control plane refused the key of the edge, not the decisions. They are kept and sent again, because the key may be
    // renewed.
    if (error instanceof ControlPlaneRefused && (error.status === 401 || error.status === 403))
      throw new ControlPlaneAway(error.message)
    throw error
  }
}

function idsByReason(refused: readonly { decision_id: string | null; reason: string }[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const { decision_id, reason } of refused) {
    if (decision_id !== null) found.set(reason, (found.get(reason) ?? new Set()).add(decision_id))
  }
  return found
}

/**
 * Splits a batch of decisions that the control plane refused, to find the decisions that cause the refusal. Splits by agent
 * first, because the control plane may refuse all decisions of an agent. Splits the decisions of a single agent into halves.
 */
function smallerParts(decisions: readonly DecisionRecord[]): (readonly DecisionRecord[])[] {
  const byAgent = [...Map.groupBy(decisions, ({ agent_id }) => agent_id).values()]
  if (byAgent.length > 1 || decisions.length === 1) return byAgent
  const middle = Math.ceil(decisions.length / 2)
  return [decisions.slice(0, middle), decisions.slice(middle)]
}

async function putAside(
  decisions: readonly DecisionRecord[],
  { file, maxBytes }: Refusals,
  reason: string,
  log: Logger,
): Promise<void> {
  const lines = decisions.map((decision) => `${JSON.stringify({ refused: reason, decision })}\n`).join('')
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  )
  if (size + lines.length > maxBytes) throw new ControlPlaneAway(`${file} is full of refused decisions: move it away`)
  await appendFile(file, lines, { mode: 0o600, flush: true })
  log.error(
    { reason, decisions: decisions.length, file },
    'the control plane refused decisions; they were moved to a file and are not sent again',
  )
}
