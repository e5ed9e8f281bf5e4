import { lazy, Suspense, useEffect, useState } from 'react'
import { whyNot } from '../../api/why-not.ts'
import { Button } from '../../ui/actions/button.tsx'
import { MoreMenu } from '../../ui/actions/more-menu.tsx'
import type { Act } from './act-dialogs.tsx'
import type { Agent } from './words.ts'

// The page shows first, and its dialogs are loaded later: while the browser is idle, or when one opens.
const load = () => import('./act-dialogs.tsx')
const ActDialog = lazy(async () => ({ default: (await load()).ActDialog }))
const NewKey = lazy(async () => ({ default: (await load()).NewKey }))

/** What can be done with the agent. Each action says why it is not possible, in the words of the server. */
export function AgentActions({ agent }: { agent: Agent }) {
  const [act, setAct] = useState<Act>()
  const [key, setKey] = useState<string>()
  useEffect(() => {
    const waiting = requestIdleCallback(() => load().catch(() => {}))
    return () => cancelIdleCallback(waiting)
  }, [])
  const isSuspended = agent.status === 'suspended'
  const close = () => setAct(undefined)
  return (
    <>
      {isSuspended ? (
        <Button onPress={() => setAct('resume')} disabledBecause={whyNot(agent, 'resumeAgent')}>
          Resume
        </Button>
      ) : (
        <Button glyph="suspended" onPress={() => setAct('suspend')} disabledBecause={whyNot(agent, 'suspendAgent')}>
          Suspend
        </Button>
      )}
      <Button glyph="frozen" onPress={() => setAct('freeze')} disabledBecause={whyNot(agent, 'createFreeze')}>
        Freeze
      </Button>
      <Button onPress={() => setAct('assign')} disabledBecause={whyNot(agent, 'assignPolicy')}>
        Assign policy
      </Button>
      <MoreMenu
        acts={[
          { name: 'Edit…', onPress: () => setAct('edit'), disabledBecause: whyNot(agent, 'updateAgent') },
          {
            name: 'Change lifecycle…',
            onPress: () => setAct('lifecycle'),
            disabledBecause: whyNot(agent, 'changeLifecycle'),
          },
          { name: 'Rotate key…', onPress: () => setAct('rotate'), disabledBecause: whyNot(agent, 'rotateAgentKey') },
          { name: 'Request review…', onPress: () => setAct('review'), disabledBecause: whyNot(agent, 'openReview') },
          { name: 'Suppress…', onPress: () => setAct('suppress'), disabledBecause: whyNot(agent, 'suppressAgent') },
          { name: 'Archive…', onPress: () => setAct('archive'), disabledBecause: whyNot(agent, 'archiveAgent') },
        ]}
      />
      <Suspense>
        {act && <ActDialog act={act} agent={agent} onClose={close} onKey={setKey} />}
        {key !== undefined && <NewKey agent={agent} value={key} onClose={() => setKey(undefined)} />}
      </Suspense>
    </>
  )
}
