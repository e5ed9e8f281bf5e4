import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Confirm, Dialog } from '../../ui/dialogs/dialog.tsx'
import type { Picked } from '../../ui/fields/picker.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { reachText } from '../../words/reach.ts'
import { AgentPicker } from '../keys/agent-picker.tsx'
import { freezeEffect, stopsDiffer } from './freeze-effect.ts'

interface SuspendDialogProps {
  onClose: () => void
  /** The agent to suspend. Without it, the dialog asks for one. */
  agent?: Picked
}

/** Asks for the reason, shows first what the suspension stops, and then how many edges have confirmed it. */
export function SuspendDialog({ onClose, agent: given }: SuspendDialogProps) {
  const [agent, setAgent] = useState<Picked | undefined>(given)
  const [since, setSince] = useState<string>()
  const isDone = useRef(false)
  const suspend = useWrite('suspendAgent')
  const id = agent?.id ?? ''
  const { data: row } = useQuery({
    ...read('getAgent', { path: { agent_id: id }, query: { include: ['may', 'names', 'activity'] } }),
    enabled: agent !== undefined,
  })
  const preview = useQuery({
    ...read('previewFreeze', { query: { scope: 'agent', agent_id: id } }),
    enabled: agent !== undefined,
    staleTime: 0,
  })
  if (since !== undefined && agent) return <Suspended agent={agent} since={since} onClose={onClose} />
  return (
    <Confirm
      title={given ? `Suspend ${given.name}?` : 'Suspend an agent?'}
      verb="Suspend"
      comment={{ label: 'Reason' }}
      missing={agent === undefined ? 'Choose an agent.' : whyNot(row, 'suspendAgent')}
      act={async (reason) => {
        const { updated_at } = await suspend.mutateAsync({
          path: { agent_id: id },
          body: reason === '' ? {} : { reason },
        })
        isDone.current = true
        setSince(updated_at)
      }}
      // After the act the dialog stays, and shows the reach.
      onClose={() => !isDone.current && onClose()}
    >
      {!given && <AgentPicker agent={agent} onChange={setAgent} />}
      <p>Its edge denies every call. Its held calls and unused approvals expire.</p>
      <p>{stopsDiffer}</p>
      <p role="status">{preview.data && freezeEffect(preview.data, { drill: false })}</p>
    </Confirm>
  )
}

const pollMs = 2000

interface SuspendedProps {
  agent: Picked
  /** When the agent was suspended. */
  since: string
  onClose: () => void
}

const confirmedText = (reach: Parameters<typeof reachText>[0]) =>
  reach.edges === 0 ? 'No edge runs this agent. If one starts, every call is denied.' : `${reachText(reach)}.`

/** How many running edges have confirmed the suspension. The API has no state of single edges for a suspension. */
function Suspended({ agent: { id, name }, since, onClose }: SuspendedProps) {
  const { data, error } = useQuery({ ...read('getOverview', { query: { include: 'names' } }), refetchInterval: pollMs })
  // Counts from before the suspension are those of an earlier stop, and a freeze or a drill may follow it.
  const isOfSuspension = data && data.as_of > since && data.stop_reach?.kind === 'suspension'
  const reach = isOfSuspension ? data.stop_reach : undefined
  return (
    <Dialog
      title={`${name} is suspended`}
      onClose={onClose}
      foot={
        <Button look="act" onPress={onClose}>
          Close
        </Button>
      }
    >
      <p role="status">
        {error && !data ? error.message : reach ? confirmedText(reach) : 'The confirmations of its edges are counted.'}
      </p>
      <p>The count is of the last stop of the organization. The server counts it at most every 10 seconds.</p>
      <p>
        <PageLink to={`/agents/${id}`} replaces>
          <Name>{`Open ${name}`}</Name>
        </PageLink>
      </p>
    </Dialog>
  )
}
