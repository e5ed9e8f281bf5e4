import { readDelegationToken } from '@mandate/proofs/delegation-token'
import type { SigningKeys } from '../carry/signing-keys.ts'
import type { KnownEnds } from './ended-delegations.ts'
import { allowsTool, type Chain, delegationOf, type VerifiedDelegation } from './verified-delegation.ts'

export interface DelegationParts {
  keys: Pick<SigningKeys, 'signed' | 'signedByKnown'>
  ended: { current(): KnownEnds | null; learn(): Promise<void> }
  /** A clock in milliseconds that never goes back. */
  now(): number
}

/** The call that a delegation must allow. */
export interface DelegatedCall {
  agentId: string
  /** The tenant and the environment of the agent, as its profile names them. Null if it does not. */
  tenantId: string | null
  environmentId: string | null
  /** All possible names of the tool. */
  tools: readonly string[]
}

/** What came with a call: a delegation with a valid signature, or why it is not valid. */
export type Presented = VerifiedDelegation | { readonly fault: string }

const notAToken = { fault: 'the token is not a delegation that the control plane signed' }
/** Verified tokens are kept until together they have more characters than this. */
const mostKeptCharacters = 2_097_152
/** Keys of the control plane are fetched at most this often for tokens that no known key signed. */
const fetchKeysMs = 30_000

/** Verifies the tokens that come with calls. Tokens are kept in memory only, and are never logged. */
export class Delegations {
  private readonly parts: DelegationParts
  private readonly verified = new Map<string, VerifiedDelegation>()
  private keptCharacters = 0
  private keysFetchedAt = Number.NEGATIVE_INFINITY
  /** The fetch of keys that runs now. */
  private fetching: Promise<unknown> | null = null

  constructor(parts: DelegationParts) {
    this.parts = parts
  }

  /** Verifies the signature of a token, without the control plane unless its signing key has changed. Fetches the list of ended delegations if it is not known. */
  async verify(token: string): Promise<Presented> {
    const delegation = this.verified.get(token) ?? (await this.read(token))
    if (delegation === null) return notAToken
    this.keep(token, delegation)
    await this.parts.ended.learn()
    return delegation
  }

  /** Returns why a delegation does not allow a call now, or null if it does. */
  refusalOf(presented: Presented, call: DelegatedCall): string | null {
    if ('fault' in presented) return presented.fault
    if (!isFor(presented, call)) return 'the delegation is for another agent'
    const known = this.parts.ended.current()
    if (known === null)
      return 'the edge does not know which delegations have ended, because it has no current list from the control plane'
    const { set, nowMs } = known
    if (set.tenantId !== presented.tenantId || set.environmentId !== presented.environmentId)
      return 'the edge does not know which delegations of this environment have ended'
    if (presented.ids.some((id) => set.ended.has(id))) return 'the delegation, or one above it, has ended'
    if (nowMs >= presented.expiresMs) return 'the delegation has expired'
    const outside = call.tools.find((tool) => !allowsTool(presented, tool))
    return outside === undefined ? null : 'the delegation does not allow this tool'
  }

  private keep(token: string, delegation: VerifiedDelegation): void {
    this.forget(token)
    this.verified.set(token, delegation)
    this.keptCharacters += token.length
    while (this.keptCharacters > mostKeptCharacters) this.forget(this.verified.keys().next().value as string)
  }

  private forget(token: string): void {
    if (this.verified.delete(token)) this.keptCharacters -= token.length
  }

  private async read(token: string): Promise<VerifiedDelegation | null> {
    const document = readDelegationToken(token)
    const delegation = document && delegationOf(document)
    if (!delegation) return null
    return (await this.isSigned(document)) ? delegation : null
  }

  private async isSigned(document: Record<string, unknown>): Promise<boolean> {
    const { keys, now } = this.parts
    if (keys.signedByKnown(document)) return true
    if (now() - this.keysFetchedAt >= fetchKeysMs) {
      this.keysFetchedAt = now()
      this.fetching = keys.signed(document).catch(() => false)
    }
    // Calls that come during the fetch wait for it too, because it may bring the key that signed their tokens.
    await this.fetching
    return keys.signedByKnown(document)
  }
}

/** Who acts for whom, for the record of a call. Undefined without a delegation of the agent with a valid signature. */
export function chainFor(presented: Presented | null, call: Omit<DelegatedCall, 'tools'>): Chain | undefined {
  return presented !== null && !('fault' in presented) && isFor(presented, call) ? presented.chain : undefined
}

function isFor({ agentId, tenantId, environmentId }: VerifiedDelegation, call: Omit<DelegatedCall, 'tools'>): boolean {
  return agentId === call.agentId && tenantId === call.tenantId && environmentId === call.environmentId
}
