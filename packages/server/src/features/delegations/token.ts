import type { SignedDelegation } from '@mandate/contract/delegations'
import { tokenPurpose } from '@mandate/contract/delegations'
import { canonicalJson } from '@mandate/proofs/canonical'
import { delegationToken } from '@mandate/proofs/delegation-token'
import type { SigningKey } from '../../security/signing-key.ts'
import type { Chain } from './queries.ts'

interface Linked {
  id: string
  chain: Chain
  tools: readonly string[]
  expires_at: string
}

interface Signed {
  tenantId: string
  environmentId: string
  /** The delegations of the chain. The last one is the one that the token is for. */
  links: readonly [...Linked[], Linked]
  now: string
}

/** Returns the token of a delegation. All tenants have the same signing key, so the token names its tenant, and what it is for. */
export function signedToken(
  { tenantId, environmentId, links, now }: Signed,
  signingKey: Pick<SigningKey, 'sign'>,
): string {
  const last = links.at(-1) as Linked
  const [user] = last.chain
  if (!user) throw new TypeError('a chain begins with a user')
  const document: Omit<SignedDelegation, 'signature'> = {
    purpose: tokenPurpose,
    tenant_id: tenantId,
    environment_id: environmentId,
    id: last.id,
    subject: { type: 'user', id: user.id, name: user.name },
    links: links.map(({ id, tools, expires_at }, index) => ({
      id,
      agent: agentOf(last.chain, index),
      tools: [...tools],
      expires_at,
    })),
    issued_at: now,
  }
  return delegationToken({ ...document, signature: signingKey.sign(canonicalJson(document)) })
}

function agentOf(chain: Chain, index: number): { id: string; name: string } {
  const link = chain[index + 1]
  if (!link) throw new TypeError('a chain has an agent for each delegation')
  return { id: link.id, name: link.name }
}
