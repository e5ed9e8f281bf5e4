import { canonicalJson } from '@mandate/proofs/canonical'
import { edgeKeyAttestationBody, readEdgeKey } from '@mandate/proofs/decision-chain'
import type { EdgeActor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { conflict, invalid } from '../../../refusal.ts'
import { keepTenant } from '../../tenants/lock-tenant.ts'
import { findEdgeKey, insertEdgeKey, storeUse } from './edge-key-queries.ts'

/**
 * Keys that a credential can register within 24 hours. A state folder of an edge has up to 64 seats, each with a key. An edge without a state
 * folder needs a new key at each start.
 */
const mostNewKeys = 200

/** A registered key. `attestation` is made with the current signing key. `edge_id` is null for an agent key. */
export interface AttestedKey {
  kid: string
  tenant_id: string
  edge_id: string | null
  attestation: string
}

/**
 * Registers the public key of an edge and attests it. A key that is registered already stays with the credential that registered it.
 * @throws 400 if it is not an Ed25519 public key, 409 if the credential registered too many keys within 24 hours
 */
export async function createEdgeKey(ctx: Ctx<EdgeActor>, publicKeyPem: string): Promise<AttestedKey> {
  const { actor, services } = ctx
  const key = readEdgeKey(publicKeyPem)
  if (!key) throw invalid('public_key_pem must be an Ed25519 public key in PEM')
  const { kid, public_key_pem } = key
  // Signs a registered key again, because an edge may trust only the signing keys from the current one on.
  const attest = (edge_id: string | null): AttestedKey => {
    const body = edgeKeyAttestationBody({ tenant_id: actor.tenantId, edge_id, kid, public_key_pem })
    return { kid, tenant_id: actor.tenantId, edge_id, attestation: services.signingKey.sign(canonicalJson(body)) }
  }
  const edgeId = actor.kind === 'edge' ? actor.credentialId : null
  const attested = attest(edgeId)
  return await ctx.inTenant(async (tx) => {
    const [stored] = await Promise.all([findEdgeKey(tx, kid), keepTenant(tx)])
    if (stored) {
      await storeUse(tx, kid, ctx.now)
      return attest(stored.edgeId)
    }
    const inserted = await insertEdgeKey(
      tx,
      {
        kid,
        credentialId: actor.credentialId,
        edgeId,
        agentId: actor.kind === 'agent' ? actor.agentId : null,
        publicKeyPem: public_key_pem,
        attestation: attested.attestation,
      },
      mostNewKeys,
      ctx.now,
    )
    if (inserted) return attested
    const rival = await findEdgeKey(tx, kid)
    if (!rival) throw conflict(`a credential can register at most ${mostNewKeys} new keys within 24 hours`)
    return attest(rival.edgeId)
  })
}
