import { useBlocker } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { unsentOf } from './unsent.ts'

/** Loads the code of the question. Call it while the server can be reached. */
export const loadLeaveQuestion = () => import('./dialog.tsx')
const LeaveQuestion = lazy(async () => ({ default: (await loadLeaveQuestion()).LeaveQuestion }))

/** Asks before another page, a reload or the end of the tab throws away what a person typed and did not send. Once for all forms. */
export function AskBeforeLeaving() {
  const blocker = useBlocker({
    shouldBlockFn: (move) => unsentOf(move).length > 0,
    enableBeforeUnload: () => unsentOf().length > 0,
    withResolver: true,
  })
  return (
    <Suspense>
      {blocker.status === 'blocked' && (
        <LeaveQuestion unsent={unsentOf(blocker)} onLeave={blocker.proceed} onStay={blocker.reset} />
      )}
    </Suspense>
  )
}
