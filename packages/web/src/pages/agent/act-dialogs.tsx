import type { ReactNode } from 'react'
import { useWrite } from '../../api/queries.ts'
import { FreezeDialog } from '../../shell/stop/freeze-dialog.tsx'
import { SuspendDialog } from '../../shell/stop/suspend-dialog.tsx'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { Secret } from '../../ui/fields/secret.tsx'
import { StartEdge } from '../../ui/page/start-edge.tsx'
import { AssignPolicy } from './assign-policy.tsx'
import { ChangeLifecycle } from './change-lifecycle.tsx'
import { EditAgent } from './edit-agent.tsx'
import type { Agent } from './words.ts'

/** The acts that only ask once. The others have a dialog of their own. */
type Asked = 'resume' | 'rotate' | 'review' | 'suppress' | 'archive'
export type Act = Asked | 'suspend' | 'freeze' | 'assign' | 'edit' | 'lifecycle'

interface ActDialogProps {
  act: Act
  agent: Agent
  onClose: () => void
  onKey: (key: string) => void
}

/** The dialog of an act. */
export function ActDialog({ act, ...props }: ActDialogProps) {
  if (act === 'suspend') return <SuspendDialog {...props} />
  if (act === 'freeze') return <FreezeDialog {...props} />
  if (act === 'assign') return <AssignPolicy {...props} />
  if (act === 'edit') return <EditAgent {...props} />
  if (act === 'lifecycle') return <ChangeLifecycle {...props} />
  return <ConfirmAct act={act} {...props} />
}

/** Shows the new key of an agent once. */
export function NewKey({ agent, value, onClose }: { agent: Agent; value: string; onClose: () => void }) {
  return (
    <Secret title={`The new key of ${agent.name}`} what="agent key" value={value} onClose={onClose}>
      {(onStored) => (
        <>
          <p>The old key does not work any more. Start the edge of the agent again with the new one.</p>
          <StartEdge keyText={value} onCopy={onStored} />
        </>
      )}
    </Secret>
  )
}

interface ConfirmActProps extends ActDialogProps {
  act: Asked
}

interface Question {
  title: string
  verb: string
  effect: ReactNode
  isFinal?: boolean
  /** True if the API records a reason. */
  hasReason?: boolean
  run: (why: { reason?: string }) => Promise<unknown>
  done?: string
}

function ConfirmAct({ act, agent: { id, name }, onClose, onKey }: ConfirmActProps) {
  const path = { agent_id: id }
  const resume = useWrite('resumeAgent')
  const rotate = useWrite('rotateAgentKey')
  const review = useWrite('openReview')
  const suppress = useWrite('suppressAgent')
  const archive = useWrite('archiveAgent')
  const questions: Record<Asked, Question> = {
    resume: {
      title: `Resume ${name}?`,
      verb: 'Resume',
      effect: 'Its policy decides its calls again. Held calls that expired do not come back.',
      hasReason: true,
      run: (body) => resume.mutateAsync({ path, body }),
      done: 'The agent works again.',
    },
    rotate: {
      title: `Replace the key of ${name}?`,
      verb: 'Rotate key',
      effect: 'The old key stops working at once. An edge that uses it must be started with the new one.',
      isFinal: true,
      run: async () => onKey((await rotate.mutateAsync({ path })).agent_key),
    },
    review: {
      title: `Ask for a review of ${name}?`,
      verb: 'Request review',
      effect: 'An attestation review opens. Somebody else confirms that the agent is right as it is.',
      run: () => review.mutateAsync({ path, body: { kind: 'attestation' } }),
      done: 'The review is open.',
    },
    suppress: {
      title: `Suppress ${name}?`,
      verb: 'Suppress',
      effect: 'It leaves the discovery queue and the list of governed agents. A policy brings it back.',
      run: () => suppress.mutateAsync({ path }),
      done: 'The agent is suppressed.',
    },
    archive: {
      title: `Archive ${name}?`,
      verb: 'Archive',
      effect: 'Its edge denies every call from the next heartbeat, and its pending reviews end. It cannot be undone.',
      isFinal: true,
      run: () => archive.mutateAsync({ path }),
      done: 'The agent is archived.',
    },
  }
  const { title, verb, effect, isFinal, hasReason, run, done } = questions[act]
  return (
    <Confirm
      title={title}
      verb={verb}
      {...(isFinal && { isFinal, look: 'danger' as const })}
      {...(hasReason && { comment: { label: 'Reason' } })}
      act={async (reason) => {
        await run(reason === '' ? {} : { reason })
        if (done !== undefined) tell(done)
      }}
      onClose={onClose}
    >
      <p>{effect}</p>
    </Confirm>
  )
}
