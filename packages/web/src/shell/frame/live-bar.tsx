import { useRouterState } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { readWithoutEvents } from '../../live/read-without-events.ts'
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

/** How long the page says that the connection is back. */
const backMs = 6_000

/** A bar under the header. It says that the connection is lost, or that changes arrive late. When the connection is back, it says how many changes were caught up. */
export function LiveBar() {
  const state = useLiveState()
  const isBack = useIsBack(state.is === 'lost')
  const isCaughtUp = state.is === 'caught up'
  return (
    <div role="status">
      {state.is === 'lost' ? (
        <LostBar since={state.since} />
      ) : (
        // After that time the text stays for screen readers.
        (isBack || isCaughtUp) && (
          <div className={isBack ? css.lost : 'hidden-text'}>
            <Glyph name="live" />
            Connected again.{isCaughtUp && ` ${counted(state.changes, '# change was', '# changes were')} caught up.`}
          </div>
        )
      )}
    </div>
  )
}

/** True for some seconds after the connection came back. The page then moves only once, when the bar goes. */
function useIsBack(isLost: boolean): boolean {
  const [was, setWas] = useState({ isLost, isBack: false })
  if (was.isLost !== isLost) setWas({ isLost, isBack: !isLost })
  const { isBack } = was
  useEffect(() => {
    if (!isBack) return
    const timer = setTimeout(() => setWas({ isLost: false, isBack: false }), backMs)
    return () => clearTimeout(timer)
  }, [isBack])
  return isBack
}

function LostBar({ since }: { since: number }) {
  const now = useNow()
  // Until it is known, the bar says nothing.
  const [isAnswering, setAnswering] = useState<boolean>()
  useEffect(() => {
    const stop = new AbortController()
    void readWithoutEvents(stop.signal, setAnswering)
    return () => stop.abort()
  }, [])
  if (isAnswering === undefined) return null
  return (
    <div className={css.lost}>
      <Glyph name="lost" />
      {isAnswering ? (
        <span>
          Changes arrive late: the page reads them every 20 seconds. It gets no events. A proxy between you and the
          server may hold them back.
        </span>
      ) : (
        <span>
          The connection to the server is lost
          {/* Screen readers read the message once, not each second. */}
          <span aria-hidden="true">, {duration(now - since)}</span>. The page shows what was read before.
        </span>
      )}
      <Button onPress={tryNow}>Try now</Button>
    </div>
  )
}
