import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { SelectField } from '../../ui/fields/field.tsx'
import { lifecycles } from '../../ui/page/states.ts'
import type { Agent } from './words.ts'

type Lifecycle = Agent['lifecycle_status']

const effects: Record<Lifecycle, string> = {
  proposed: 'The agent waits for an approval. If the gate is enforced, its edge denies every call.',
  approved:
    'You approve the agent without a review. Without an approved version, Mandate cannot detect drift. A review sets the approved version.',
  blocked: 'Its edge denies every call.',
  retired: 'The agent is out of use. Its edge denies every call.',
}

/** Sets the lifecycle outside the reviews. The audit trail keeps the reason. */
export function ChangeLifecycle({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const write = useWrite('changeLifecycle')
  const { name, lifecycle_status: current } = agent
  const [wanted, setWanted] = useState<Lifecycle>(current)
  const because = wanted === 'approved' ? whyNot(agent, 'changeLifecycle:approved') : undefined
  const options = (Object.keys(lifecycles) as Lifecycle[]).map((value) => ({ value, text: lifecycles[value].word }))
  return (
    <Confirm
      title={`Change the lifecycle of ${name}?`}
      verb="Change lifecycle"
      comment={{ label: 'Reason', isRequired: true }}
      missing={because ?? (wanted === current ? 'Choose another lifecycle first.' : undefined)}
      act={async (reason) => {
        await write.mutateAsync({ path: { agent_id: agent.id }, body: { lifecycle_status: wanted, reason } })
        tell(`${name} is now ${lifecycles[wanted].word.toLowerCase()}.`)
      }}
      onClose={onClose}
    >
      <SelectField
        label="Lifecycle"
        value={wanted}
        onChange={setWanted}
        options={options}
        error={because}
        hint={wanted === current ? 'This is the lifecycle now.' : effects[wanted]}
      />
    </Confirm>
  )
}
