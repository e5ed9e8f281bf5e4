import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { Glyph } from '../../ui/texts/glyph.tsx'
import { FirstAgentForm } from './first-agent-form.tsx'
import css from './first-run.module.css'
import { AllowStep, ApproveStep, DenyStep, RegisteredNote, StartedNote, StartStep } from './first-run-steps.tsx'
import type { StepName } from './first-steps.ts'
import type { FirstRun } from './use-first-run.ts'

/** The checklist of a new organization, from nothing to the first denied call. */
export function Checklist({ run }: { run: FirstRun }) {
  const { agent, done, pass, denial } = run
  const [shown, setShown] = useState<{ agentId: string; key: string }>()
  const [isStored, setStored] = useState(false)
  const showKey = (agentId: string, key: string) => {
    setShown({ agentId, key })
    setStored(false)
  }
  const key = shown !== undefined && shown.agentId === agent?.id ? shown.key : undefined
  const isAtRisk = key !== undefined && !isStored && !done.has('start')
  const step = (name: StepName, number: number, title: string, children: ReactNode) => (
    <Step number={number} title={title} isDone={done.has(name)} isOpen={isOpen(name, done)}>
      {children}
    </Step>
  )
  return (
    <Panel title="From nothing to a denied call">
      <ol className={css.steps}>
        {step(
          'register',
          1,
          'Register an agent',
          agent ? <RegisteredNote agent={agent} /> : <FirstAgentForm onKey={showKey} />,
        )}
        {step(
          'start',
          2,
          'Start the edge',
          agent && (
            <>
              {done.has('start') && <StartedNote agent={agent} />}
              {!done.has('start') && (
                <StartStep agent={agent} keyText={key} onKey={showKey} onStored={() => setStored(true)} />
              )}
            </>
          ),
        )}
        {step('approve', 3, 'Approve the agent', agent && done.has('start') && <ApproveStep agent={agent} />)}
        {step(
          'allow',
          4,
          'Make a call that is allowed',
          agent && (done.has('start') || pass) && <AllowStep agent={agent} pass={pass} />,
        )}
        {step(
          'deny',
          5,
          'Make a call that is denied',
          agent && (done.has('start') || denial) && <DenyStep agent={agent} denial={denial} />,
        )}
      </ol>
      <LeavingAsks isAtRisk={isAtRisk} />
    </Panel>
  )
}

/** The first step that is not done is open. A call can be tried while the agent waits for its approval. */
function isOpen(name: StepName, done: ReadonlySet<StepName>): boolean {
  if (done.has(name)) return false
  if (name === 'register') return true
  if (name === 'start') return done.has('register')
  return done.has('start')
}

interface StepProps {
  number: number
  title: string
  isDone: boolean
  isOpen: boolean
  children: ReactNode
}

function Step({ number, title, isDone, isOpen, children }: StepProps) {
  return (
    <li
      className={[css.step, isDone ? css.done : '', isOpen ? css.now : ''].join(' ')}
      aria-current={isOpen ? 'step' : undefined}
    >
      <span className={css.mark}>{isDone ? <Glyph name="approved" /> : number}</span>
      <div className={css.body}>
        <h3>
          {title}
          {isDone && <span className="hidden-text"> (done)</span>}
        </h3>
        {(isDone || isOpen) && children}
      </div>
    </li>
  )
}

/** Asks once before the reader leaves a key that nobody has copied. */
function LeavingAsks({ isAtRisk }: { isAtRisk: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: () => isAtRisk,
    enableBeforeUnload: () => isAtRisk,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  const leave = async () => blocker.proceed()
  return (
    <Confirm
      title="Leave without the key?"
      verb="Leave without it"
      look="danger"
      act={leave}
      onClose={() => blocker.reset?.()}
      isFinal
    >
      <p>You have not copied the key of the agent. If you leave now, nobody can read it again.</p>
    </Confirm>
  )
}
