import type { EdgeActor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { invalid } from '../../../refusal.ts'
import { cutText } from '../../../text/cut-text.ts'
import { servedBy } from '../../edge/reach/served.ts'
import { closeDecisionGap, openDecisionGap } from '../../findings/decisions/decision-gap.ts'
import { aheadFault, edgeOf, type FiledRecord, filedAt, isExpired } from '../records/filed-record.ts'
import { anchor, isAnchored } from './anchor-decisions.ts'
import {
  adoptBreaks,
  type Broken,
  deleteGaps,
  type EdgeKey,
  findBreaks,
  findEdgeKey,
  findGaps,
  findLinks,
  insertGaps,
  insertLinks,
  lockEdgeKey,
  type StoredGap,
  storeBrokenFrom,
  storeHead,
} from './edge-key-queries.ts'
import { type ChainHead, type ChainRecord, type Followed, followChain } from './follow-chain.ts'
import { type SentArguments, sentFor } from './kept-arguments.ts'
import { readSignedBatch, type SignedRecord, sentRecordOf } from './read-signed-batch.ts'
import { storeDecisions } from './store-decisions.ts'
import { findRetention, findServedAgents, findStored, type Retention } from './store-queries.ts'

export interface SignedAnswer {
  accepted: number
  duplicates: number
  expired: number
  refused: { decision_id: string | null; reason: string }[]
}

/** A record of a signed batch. `batchSignature` is set on the last one. */
interface Signed extends SignedRecord {
  batchSignature: string | null
}

/** What becomes of a record of a signed batch. */
type Fate = { signed: Signed } & (
  | { is: 'filed'; filed: FiledRecord }
  | { is: 'duplicate' | 'expired' }
  | { is: 'refused'; reason: string }
)

/**
 * Stores a signed batch, and follows the chain of its key. A refused or expired record stays in the chain by its hash. A gap or a fork
 * opens a finding.
 * @throws 400 if the key is not registered or the signature does not verify
 */
export async function recordSignedDecisions(
  ctx: Ctx<EdgeActor>,
  { sent, sentArguments, kid, signature }: SentBatch,
): Promise<SignedAnswer> {
  const known = await findEdgeKey(ctx.sql, kid)
  if (!known) throw unknownKey()
  const batch = readSignedBatch(sent, known.publicKeyPem, signature)
  const { places } = ctx.services.decisionMemory
  return await places.use(ctx.actor.tenantId, (place) =>
    storeSigned(ctx, { kid, signature, sentArguments, place, ...batch }),
  )
}

interface SentBatch {
  sent: readonly Record<string, unknown>[]
  sentArguments: SentArguments
  kid: string
  signature: string
}

interface PlacedBatch extends ReturnType<typeof readSignedBatch>, Omit<SentBatch, 'sent'> {
  /** See `BatchPlaces`. */
  place: number
}

async function storeSigned(
  ctx: Ctx<EdgeActor>,
  { kid, signature, sentArguments, place, placed, unplaced }: PlacedBatch,
): Promise<SignedAnswer> {
  const [answer, calls, remember] = await ctx.inTenant(async (tx) => {
    const agentIds = new Set(placed.flatMap(({ read }) => ('record' in read ? read.record.agent_id : [])))
    const [key, served, retention] = await Promise.all([
      lockEdgeKey(tx, kid),
      findServedAgents(tx, servedBy(ctx.actor), [...agentIds]),
      findRetention(tx),
    ])
    // The key goes with its tenant, which may be deleted after the first look.
    if (!key) throw unknownKey()
    const stored = await findStoredRecords(tx, key, placed, retention, ctx.now)
    const fates = placed.map((record, index) => {
      const signed = { ...record, batchSignature: index === placed.length - 1 ? signature : null }
      return fateOf(ctx, kid, signed, { served, retention, stored, sentArguments })
    })
    const filed = fates.flatMap((fate) => (fate.is === 'filed' ? fate.filed : []))
    const { accepted, calls, remember } = await storeDecisions(tx, filed, {
      memory: ctx.services.decisionMemory,
      metrics: ctx.services.metrics,
      retention,
      place,
      now: ctx.now,
    })
    await keepChain(tx, ctx, key, fates, { served, retention, accepted })
    const count = (is: Fate['is']) => fates.filter((fate) => fate.is === is).length
    const refused = fates.flatMap((fate) => (fate.is === 'refused' ? refusalOf(fate.signed.sent, fate.reason) : []))
    const answer: SignedAnswer = {
      accepted: accepted.size,
      duplicates: count('duplicate') + filed.length - accepted.size,
      expired: count('expired'),
      refused: [...refused, ...unplaced.map(({ sent, fault }) => refusalOf(sent, fault))],
    }
    return [answer, calls, remember] as const
  })
  remember()
  ctx.services.decisionFeed.add(ctx.actor.tenantId, calls)
  return answer
}

const unknownKey = () => invalid('kid is not the id of a registered key')

function refusalOf({ decision_id: id }: Record<string, unknown>, reason: string) {
  return { decision_id: typeof id === 'string' ? cutText(id, 100) : null, reason }
}

/** Hashes of those records that are stored already, as decisions or only as links of the chain. */
async function findStoredRecords(
  tx: Tx,
  { kid, seq, hash, highestSeq }: EdgeKey,
  placed: readonly SignedRecord[],
  { days, earlier }: Retention,
  now: string,
): Promise<Set<string>> {
  const [first] = placed
  // A batch that continues the chain cannot hold a record that is stored.
  if (!first || (first.seq === seq + 1 && first.prev === hash && seq === highestSeq)) return new Set()
  // A decision that is too far ahead is never stored. The time in its id may have a year above 9999, which PostgreSQL cannot read.
  const ids = placed.flatMap(({ read }) =>
    'record' in read && !aheadFault(read.record, now)
      ? { id: read.record.decision_id, filedAt: filedAt(read.record, now) }
      : [],
  )
  const [decisions, links] = await Promise.all([findStored(tx, [days, ...earlier], ids), findLinks(tx, kid, placed)])
  return new Set([...[...decisions.values()].flatMap((stored) => stored ?? []), ...links])
}

interface Known {
  /** The agents of the batch that the credential serves, and their environments. */
  served: ReadonlyMap<string, string | null>
  retention: Retention
  /** Hashes of records that are stored already. */
  stored: ReadonlySet<string>
  sentArguments: SentArguments
}

function fateOf(
  { actor, now }: Ctx<EdgeActor>,
  kid: string,
  signed: Signed,
  { served, retention, stored, sentArguments }: Known,
): Fate {
  if (stored.has(signed.hash)) return { signed, is: 'duplicate' }
  if ('fault' in signed.read) return { signed, is: 'refused', reason: signed.read.fault }
  const { record } = signed.read
  const ahead = aheadFault(record, now)
  if (ahead) return { signed, is: 'refused', reason: `${ahead.field} ${ahead.text}` }
  const environmentId = served.get(record.agent_id)
  if (environmentId === undefined) return { signed, is: 'refused', reason: 'agent not found' }
  const time = filedAt(record, now)
  if (isExpired(record, time, now, retention.days)) return { signed, is: 'expired' }
  const { seq, prev, hash, digest, batchSignature } = signed
  const link = { kid, seq, prev, hash, digest, batchSignature, sentRecord: sentRecordOf(signed, record) }
  const kept = sentFor(record, sentArguments)
  return { signed, is: 'filed', filed: { record, filedAt: time, environmentId, edgeId: edgeOf(actor), link, kept } }
}

/** Stores how the chain goes on: its head, its gaps and forks, and the hashes of records that are not stored as decisions. */
async function keepChain(
  tx: Tx,
  ctx: Ctx<EdgeActor>,
  key: EdgeKey,
  fates: readonly Fate[],
  { served, retention, accepted }: Pick<Known, 'served' | 'retention'> & { accepted: ReadonlySet<string> },
): Promise<void> {
  const isNew = (fate: Fate) => fate.is === 'filed' && accepted.has(fate.filed.record.decision_id)
  const unstored = fates.filter((fate) => fate.is !== 'duplicate' && !isNew(fate)).map(({ signed }) => signed)
  const records = chainRecordsOf(fates, { served, retention }, ctx.now)
  const agentId = records.find((record) => record.agentId !== null)?.agentId
  const isBroken = key.brokenFrom !== null
  const adopted = isBroken && agentId ? await adoptBreaks(tx, key.kid, agentId, ctx.now) : []
  const followed = followChain(key, records, isBroken ? await findGaps(tx, key.kid) : [])
  await Promise.all([
    insertLinks(tx, key.kid, unstored, ctx.now),
    storeHead(tx, key.kid, followed.head, ctx.now),
    anchorDaily(tx, ctx, key, followed.head),
  ])
  if (adopted.length > 0 || followed.breaks.length > 0 || followed.filled.length > 0) {
    await keepBreaks(tx, ctx, key, followed, adopted)
  }
}

/** A record of an agent that the credential does not serve counts for the agent of the next record. */
function chainRecordsOf(
  fates: readonly Fate[],
  { served, retention }: Pick<Known, 'served' | 'retention'>,
  now: string,
): ChainRecord[] {
  let agentId: string | null = null
  return fates
    .toReversed()
    .map(({ is, signed: { seq, prev, hash, read } }) => {
      if ('record' in read && served.has(read.record.agent_id)) agentId = read.record.agent_id
      const isOld = 'record' in read && isExpired(read.record, filedAt(read.record, now), now, retention.days)
      return { seq, prev, hash, agentId, isStored: is === 'duplicate', isOld }
    })
    .toReversed()
}

/** The clock of the instance that opened a finding may be ahead of the clock of another one that added a gap. */
const earlier = (time: string) => new Date(Date.parse(time) - 10 * 60_000).toISOString()

/** `adopted` are earlier gaps and forks that had no agent until this batch. */
async function keepBreaks(
  tx: Tx,
  ctx: Ctx<EdgeActor>,
  { kid }: EdgeKey,
  { breaks, filled, touched, left }: Followed<StoredGap>,
  adopted: readonly Broken[],
): Promise<void> {
  await deleteGaps(
    tx,
    kid,
    touched.map(({ from }) => from),
  )
  const opened = breaks.map((gap) => ({ ...gap, openedAt: ctx.now }))
  await insertGaps(tx, kid, [...left.map((gap) => ({ ...gap, kind: 'gap' as const })), ...opened])
  await storeBrokenFrom(tx, kid)
  const edge_id = edgeOf(ctx.actor)
  const itemsOf = (agentId: string, gaps: readonly Broken[]) =>
    gaps.filter((gap) => gap.agentId === agentId).map(({ from, to }) => ({ edge_id, kid, from, to }))
  const findOpen = async (agentId: string, since: string) => {
    const found = await findBreaks(tx, agentId, earlier(since))
    return found.map((gap) => (gap.kid === kid ? { ...gap, edge_id } : gap))
  }
  const arrivedOf = (agentId: string) =>
    touched.some((gap) => gap.agentId === agentId) ? filled.map((seq) => ({ kid, from: seq, to: seq })) : []
  // In the order of their ids, because the findings of an agent lock its row.
  const agentIds = new Set([...adopted, ...breaks, ...touched].flatMap((gap) => gap.agentId ?? []))
  for (const agentId of [...agentIds].sort()) {
    const [before, arrived, after] = [itemsOf(agentId, adopted), arrivedOf(agentId), itemsOf(agentId, breaks)]
    if (before.length > 0) await openDecisionGap(tx, ctx, agentId, ...before)
    if (arrived.length > 0) await closeDecisionGap(tx, ctx, agentId, arrived, (since) => findOpen(agentId, since))
    if (after.length > 0) await openDecisionGap(tx, ctx, agentId, ...after)
  }
}

/** The first batch of a day anchors the chain. A job anchors what arrives after it. */
async function anchorDaily(tx: Tx, ctx: Ctx<EdgeActor>, { kid, anchoredDay }: EdgeKey, head: ChainHead): Promise<void> {
  if (isAnchored(anchoredDay, ctx.now)) return
  const { kind, credentialId, name } = ctx.actor
  await anchor(tx, ctx, { kid, seq: head.seq, hash: head.hash }, { type: kind, id: credentialId, name })
}
