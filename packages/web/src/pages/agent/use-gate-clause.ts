import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import type { Clause } from '../../ui/texts/sentence.tsx'
import { type Agent, gateClause } from './words.ts'

/** What the gate does to the agent while nobody has approved it, with the link to the gate if the reader may change it. */
export function useGateClause(
  agent: Pick<Agent, 'status' | 'frozen' | 'lifecycle_status' | 'policy'> | undefined,
): Clause | undefined {
  const session = useSession()
  const mayChange = whyNot(session, 'setGovernanceGate') === undefined
  return agent && gateClause(agent, session.tenant.governance_gate, mayChange)
}
