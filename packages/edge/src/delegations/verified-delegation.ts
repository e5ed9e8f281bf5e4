import { type SignedDelegation, SignedDelegation as SignedDelegationSchema } from '@mandate/contract/delegations'
import type { DecisionRecord } from '@mandate/contract/edge'
import { compilePattern, matches, type Pattern } from '@mandate/policy/pattern'

export type Chain = NonNullable<DecisionRecord['chain']>

/** A delegation whose signature is valid. Never changes. */
export interface VerifiedDelegation {
  readonly tenantId: string
  readonly environmentId: string
  /** The agent that may use it. */
  readonly agentId: string
  /** The delegation and those above it. If one of them has ended, it has ended too. */
  readonly ids: readonly string[]
  /** The end of the delegation that expires first, in milliseconds since 1970, by the clock of the control plane. */
  readonly expiresMs: number
  /** From the user to the agent. */
  readonly chain: Chain
  /** The patterns of each delegation of the chain. A tool must match one pattern of each. */
  readonly tools: readonly (readonly Pattern[])[]
}

/** Reads the document of a token. Returns null for any other document, and for patterns that this edge does not know. */
export function delegationOf(document: unknown): VerifiedDelegation | null {
  const { data } = SignedDelegationSchema.safeParse(document)
  const last = data?.links.at(-1)
  if (!data || last?.id !== data.id) return null
  try {
    return {
      tenantId: data.tenant_id,
      environmentId: data.environment_id,
      agentId: last.agent.id,
      ids: data.links.map(({ id }) => id),
      expiresMs: Math.min(...data.links.map(({ expires_at }) => Date.parse(expires_at))),
      chain: chainOf(data),
      tools: data.links.map(({ tools }) => tools.map(compilePattern)),
    }
  } catch {
    return null
  }
}

/** The fields are in alphabetical order, because the edge need not sort them to write a record. */
function chainOf({ subject, links }: SignedDelegation): Chain {
  return [
    { id: subject.id, name: subject.name, type: 'user' },
    ...links.map(({ agent: { id, name } }) => ({ id, name, type: 'agent' as const })),
  ]
}

/** Whether every delegation of the chain allows the tool. */
export function allowsTool({ tools }: VerifiedDelegation, tool: string): boolean {
  return tools.every((patterns) => patterns.some((pattern) => matches(pattern, tool)))
}
