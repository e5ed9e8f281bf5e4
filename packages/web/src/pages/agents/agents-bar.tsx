import { useState } from 'react'
import { client } from '../../api/client.ts'
import { readAfterWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { NotChanged, type NotChangedRow } from '../../ui/dialogs/not-changed.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { PolicyField } from '../../ui/fields/policy-field.tsx'
import { BulkBar } from '../../ui/lists/bulk-bar.tsx'
import type { Listed } from '../../ui/lists/endless-pages.ts'
import type { Picked } from '../../ui/lists/picks.ts'
import { counted } from '../../words/words.ts'

type Change = { action: 'suppress' } | { action: 'assign_policy'; policy_id: string }

/** The most agents of one request. */
const mostOfRequest = 200

/** Changes the agents, in requests of 200. Returns the errors by the id of the agent. */
async function changeAgents(ids: readonly string[], change: Change): Promise<Map<string, string>> {
  const errors = new Map<string, string>()
  try {
    for (let from = 0; from < ids.length; from += mostOfRequest) {
      const agent_ids = ids.slice(from, from + mostOfRequest)
      const { data } = await client.call('changeAgents', { body: { ...change, agent_ids } })
      for (const { agent_id, error } of data) if (error !== undefined) errors.set(agent_id, error)
    }
  } finally {
    await readAfterWrite('changeAgents')
  }
  return errors
}

interface AgentsBarProps {
  selected: Picked<Listed>
  /** The agents that the list shows. */
  rows: readonly Listed[]
  /** Called with the agents that stay selected: those that were not changed. */
  onDone: (selected: Picked<Listed>) => void
}

/** What can be done with all selected agents at once. */
export function AgentsBar({ selected, rows, onDone }: AgentsBarProps) {
  const because = whyNot(useSession(), 'changeAgents')
  const [act, setAct] = useState<'assign_policy' | 'suppress'>()
  const [policy, setPolicy] = useState('')
  const [refused, setRefused] = useState<readonly NotChangedRow[]>([])
  const agents = counted(selected.size, '# agent', '# agents')
  const run = async (change: Change, done: string) => {
    const failed = await changeAgents([...selected.keys()], change)
    setRefused([...failed].map(([id, error]) => ({ id, name: selected.get(id)?.name ?? id, error })))
    const changed = selected.size - failed.size
    if (changed > 0) tell(`${counted(changed, '# agent', '# agents')} ${done}.`)
    onDone(new Map([...selected].filter(([id]) => failed.has(id))))
  }
  return (
    <>
      <BulkBar label="Selected agents" picked={selected} rows={rows} onClear={() => onDone(new Map())}>
        <Button onPress={() => setAct('assign_policy')} disabledBecause={because}>
          Assign policy
        </Button>
        <Button onPress={() => setAct('suppress')} disabledBecause={because}>
          Suppress
        </Button>
      </BulkBar>
      {act === 'suppress' && (
        <Confirm
          title={`Suppress ${agents}?`}
          verb="Suppress"
          act={() => run({ action: 'suppress' }, 'suppressed')}
          onClose={() => setAct(undefined)}
        >
          <p>They leave the discovery queue and the list of governed agents. A policy brings them back.</p>
        </Confirm>
      )}
      {act === 'assign_policy' && (
        <Confirm
          title={`Assign a policy to ${agents}?`}
          verb="Assign policy"
          missing={policy === '' ? 'Choose a policy first.' : undefined}
          act={() => run({ action: 'assign_policy', policy_id: policy }, 'got the policy')}
          onClose={() => setAct(undefined)}
        >
          <PolicyField label="Policy" value={policy} onChange={setPolicy} none="Choose a policy" />
          <p>Their edges get the policy at the next heartbeat.</p>
        </Confirm>
      )}
      {refused.length > 0 && (
        <NotChanged
          title={counted(refused.length, '# agent was not changed', '# agents were not changed')}
          rows={refused}
          onClose={() => setRefused([])}
        />
      )}
    </>
  )
}
