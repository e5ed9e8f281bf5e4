import { useBlocker } from '@tanstack/react-router'
import { Confirm } from '../../../ui/dialogs/dialog.tsx'

interface AskBeforeLeavingProps {
  /** What is not saved, as the subject of a sentence. */
  what: string
  hasDraft: boolean
  /** The tab that shows the draft, if the draft is lost when another tab opens. */
  tab?: string
}

/** A draft is lost when another page opens, so this asks first. */
export function AskBeforeLeaving({ what, hasDraft, tab }: AskBeforeLeavingProps) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      hasDraft && (current.pathname !== next.pathname || (tab !== undefined && tabOf(next.search) !== tab)),
    enableBeforeUnload: () => hasDraft,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Confirm
      title="Leave without saving?"
      verb="Discard the draft"
      look="danger"
      isFinal
      act={async () => blocker.proceed()}
      onClose={() => blocker.reset()}
    >
      <p>{what} not saved. Nothing of it is kept.</p>
    </Confirm>
  )
}

const tabOf = (search: object) => (search as { tab?: string }).tab
