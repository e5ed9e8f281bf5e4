import type { Answer, Schema } from '@mandate/sdk'
import { counted } from './words.ts'

type Gate = Schema<'Tenant'>['governance_gate']

export const gateNames: Record<Gate, string> = { off: 'Off', alert: 'Alert', enforce: 'Enforce' }

/** What a changed gate does to agents that exist. */
export const gateOfExisting: Record<Gate, string> = {
  off: 'Agents that exist keep their lifecycle, and proposed ones may act.',
  alert: 'Agents that exist keep their lifecycle, and proposed ones may act.',
  enforce: 'Agents that exist and are not approved are denied everything too.',
}

/** What the governance gate of the organization means for new agents. */
export const gateEffects: Record<Gate, string> = {
  off: 'New agents are approved at once.',
  alert: 'New agents are proposed, and may act before they are approved.',
  enforce: 'New agents are proposed, and denied everything until they are approved.',
}

/** What a change of the gate does at once, in numbers of agents. */
export function gateChange(gate: Gate, lifecycles: Answer<'getAgentFacets'>['lifecycle_status']): string {
  const proposed = lifecycles.find(({ key }) => key === 'proposed')?.count ?? 0
  if (proposed === 0) return `No agent waits for an approval. ${gateEffects[gate]}`
  const now =
    gate === 'enforce'
      ? counted(
          proposed,
          '# agent is not approved. Each of its calls is denied at once.',
          '# agents are not approved. Each of their calls is denied at once.',
          10_000,
        )
      : counted(
          proposed,
          '# agent is not approved. It may act without an approval.',
          '# agents are not approved. They may act without an approval.',
          10_000,
        )
  return `${now} ${gateEffects[gate]}`
}
