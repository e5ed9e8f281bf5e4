import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { PolicyField } from '../../ui/fields/policy-field.tsx'
import { Failed } from '../../ui/texts/notes.tsx'
import { decidingPart } from '../policy/document/document.ts'
import { type ReplayDays, shortReplay } from '../policy/document/replay.ts'
import { useImpact } from '../policy/draft/checks.ts'
import { Impact } from '../policy/draft/impact.tsx'
import type { Agent } from './words.ts'

/** Assigns a policy to the agent. Before that, it shows which recorded calls of the agent the policy would decide in another way. */
export function AssignPolicy({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const assign = useWrite('assignPolicy')
  const [policy, setPolicy] = useState(agent.policy?.id ?? '')
  const [days, setDays] = useState<ReplayDays>(shortReplay)
  const missing =
    policy === '' ? 'Choose a policy first.' : policy === agent.policy?.id ? 'The agent has this policy.' : undefined
  return (
    <Confirm
      title={`Assign a policy to ${agent.name}?`}
      verb="Assign policy"
      missing={missing}
      isWide
      act={async () => {
        await assign.mutateAsync({ path: { agent_id: agent.id }, body: { policy_id: policy } })
        tell('The policy is assigned.')
      }}
      onClose={onClose}
    >
      <PolicyField
        label="Policy"
        value={policy}
        onChange={setPolicy}
        none="Choose a policy"
        environmentId={agent.environment?.id}
      />
      <p>Its edge gets the policy at the next heartbeat. The approved version does not change.</p>
      {missing === undefined && (
        <AssignImpact key={policy} agent={agent} policyId={policy} days={days} onDays={setDays} />
      )}
    </Confirm>
  )
}

interface AssignImpactProps {
  agent: Agent
  policyId: string
  days: ReplayDays
  onDays: (days: ReplayDays) => void
}

/** Shows what the chosen policy would have decided about the calls that the present policy of the agent decided. */
function AssignImpact({ agent, policyId, days, onDays }: AssignImpactProps) {
  const next = useQuery(read('getPolicy', { path: { policy_id: policyId } }))
  const current = agent.policy?.id ?? ''
  const impact = useImpact(current, next.data && decidingPart(next.data), current !== '', days, agent.id)
  if (next.error) return <Failed error={next.error} onRetry={() => void next.refetch()} />
  return (
    <>
      <Impact
        impact={impact}
        of={{
          title: 'Impact on this agent',
          candidate: 'the new policy',
          current: 'the policy that the agent has now, apart from content rules',
        }}
        policyId={current}
        agentId={agent.id}
        days={days}
        onDays={onDays}
        missing={
          agent.policy ? undefined : 'The agent has no policy, so there is nothing to compare the new policy with.'
        }
      />
      {agent.policy && next.data?.dlp_enabled && <p>Content rules of the two policies are not compared.</p>}
    </>
  )
}
