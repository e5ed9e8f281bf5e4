import type { Confirmations } from '@mandate/contract/edge'
import type { EdgeActor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { GroupedOperation } from '../../../concurrency/tenant-groups.ts'
import { invalid } from '../../../refusal.ts'
import { quietAt } from '../reach/quiet.ts'
import { servedBy } from '../reach/served.ts'
import { findOwnKeys, type NamedKey } from './confirmation-queries.ts'
import { type ReadConfirmation, readConfirmations, requireSigned } from './read-confirmations.ts'
import { storeConfirmations, unknownKey } from './store-confirmations.ts'

interface Refused {
  index: number
  reason: string
}

/** Most keys that one statement looks up. */
const mostKeys = 200
const keys: GroupedOperation<NamedKey, string | undefined> = {
  choose: (waiting) => waiting.slice(0, mostKeys),
  run: (db, tenantId, named) => findOwnKeys(db.reader(tenantId), named),
}

/**
 * Stores what an instance says that it put in force. A confirmation that does not count is refused by itself.
 * @throws 400 if the signature does not verify, if the credential did not register the key, and before the first heartbeat of the instance
 */
export async function confirm(
  ctx: Ctx<EdgeActor>,
  sent: Confirmations,
): Promise<{ accepted: number; refused: Refused[] }> {
  const { actor, now, services } = ctx
  const { instance_id: instanceId, kid = null, signature = null } = sent
  await requireSignature(ctx, sent)
  const { silentBefore } = quietAt(ctx)
  const { credentialId, tenantId } = actor
  const sender = { credentialId, instanceId, reach: servedBy(actor), kid, signature, now, silentBefore }
  const read = readConfirmations(sent)
  const faults = await storeConfirmations(services, tenantId, { sender, said: read.filter(isReadable) })
  for (const one of read) if ('fault' in one) faults.set(one.index, one.fault)
  const refused = [...faults].map(([index, reason]) => ({ index, reason })).sort((a, b) => a.index - b.index)
  return { accepted: read.length - refused.length, refused }
}

const isReadable = (one: ReadConfirmation) => 'said' in one

/** @throws 400 if the request has a signature that is incomplete or does not verify, or a key that the credential did not register */
async function requireSignature({ actor, services }: Ctx<EdgeActor>, sent: Confirmations): Promise<void> {
  const { kid, signature } = sent
  if ((kid === undefined) !== (signature === undefined)) throw invalid('kid and signature are required together')
  if (kid === undefined) return
  const publicKeyPem = await services.groups.run(keys, actor.tenantId, { credentialId: actor.credentialId, kid })
  if (publicKeyPem === undefined) throw unknownKey()
  requireSigned(sent, publicKeyPem)
}
