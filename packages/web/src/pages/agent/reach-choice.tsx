import { useSearch } from '@tanstack/react-router'
import { useSession } from '../../session/session.ts'
import { FilterLinks } from '../../ui/filters/filter-links.tsx'
import { Phrase } from '../../ui/texts/direction/phrase.tsx'
import css from './agent.module.css'
import { type Agent, reachPoliciesOf } from './words.ts'

const usePolicies = (agent: Agent) => reachPoliciesOf(agent, useSession().tenant.governance_gate)

/** By which policy the page shows the reach of the agent: by the assigned one, or by the running one if the reader chose it. */
export function useReachPolicy(agent: Agent) {
  const { policy } = useSearch({ from: '/inside/agents/$id' })
  const { assigned, running, isStopped } = usePolicies(agent)
  return policy === 'running' && running
    ? { by: running.text, policy: 'running' as const, running, isStopped }
    : { by: assigned, policy: 'in_force' as const, isStopped }
}

/** Says that another version runs than the assigned one, and lets the reader choose between the two. */
export function ReachChoice({ agent }: { agent: Agent }) {
  const { note, running } = usePolicies(agent)
  if (note === undefined) return null
  return (
    <div className={css.verdicts}>
      <p className={css.note}>
        <Phrase>{note}</Phrase>
      </p>
      {running && (
        <FilterLinks
          label="Policy of the reach"
          to={`/agents/${agent.id}`}
          choices={[
            { name: 'Assigned', search: {} },
            { name: 'Running', search: { policy: 'running' } },
          ]}
        />
      )}
    </div>
  )
}
