import { MandateError } from '@mandate/sdk'
import { useSyncExternalStore } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { Glyph } from '../../ui/texts/glyph.tsx'
import css from './shell.module.css'

const cache = queryClient.getQueryCache()

const listen = (listener: () => void) => cache.subscribe(listener)

/** True if a part of the page was read before, and the server does not find it any more. */
const isGone = () =>
  cache.getAll().some((query) => {
    const { data, error } = query.state
    return data !== undefined && error instanceof MandateError && error.status === 404 && query.isActive()
  })

/** Says that what the page shows was deleted, or is out of sight for the reader now. */
export function GoneBar() {
  const isShown = useSyncExternalStore(listen, isGone)
  return (
    <div role="alert">
      {isShown && (
        <div className={css.lost}>
          <Glyph name="warn" />
          This was deleted, or you may not see it any more. The page shows what was read before.
        </div>
      )}
    </div>
  )
}
