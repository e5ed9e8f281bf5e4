import { useRouterState } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { liveState, tryNow } from '../../live/stream.ts'
import { Button } from '../../ui/actions/button.tsx'
import { useNow } from '../../ui/browser/use-now.ts'
import { Glyph } from '../../ui/texts/glyph.tsx'
import { duration } from '../../words/times.ts'
import { counted } from '../../words/words.ts'
import { isLivePlace } from './live-places.ts'
import css from './shell.module.css'

export const useLiveState = () => useSyncExternalStore(liveState.listen, liveState.read)

/** Says in the header whether the page is live. A page whose data has no events says only that the connection is lost. */
export function LiveMark() {
  const { is } = useLiveState()
  const isLive = useRouterState({ select: ({ location }) => isLivePlace(location.pathname) })
  const isLost = is === 'lost'
  if (!isLive && !isLost) return null
  return (
    <span className={css.live}>
      <Glyph name={isLost ? 'lost' : is === 'connecting' ? 'clock' : 'live'} />
      {isLost ? 'Not live' : is === 'connecting' ? 'Connecting' : 'Live'}
    </span>
  )
}

/** Says under the header that the connection is lost, or what was caught up after it came back. */
export function LiveBar() {
  const state = useLiveState()
  return (
    <div role="status">
      {state.is === 'lost' && <LostBar since={state.since} />}
      {state.is === 'caught up' && (
        <p className="hidden-text">
          Connected again. {counted(state.changes, '# change was', '# changes were')} caught up.
        </p>
      )}
    </div>
  )
}

function LostBar({ since }: { since: number }) {
  const now = useNow()
  return (
    <div className={css.lost}>
      <Glyph name="lost" />
      The connection to the server is lost, {duration(now - since)}. The page shows what was read before.
      <Button onPress={tryNow}>Try now</Button>
    </div>
  )
}
