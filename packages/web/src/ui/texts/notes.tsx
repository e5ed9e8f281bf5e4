import { MandateError } from '@mandate/sdk'
import type { ReactNode } from 'react'
import { Button } from '../actions/button.tsx'
import { Copy, shortId } from '../actions/copy.tsx'
import css from './notes.module.css'

/** Says what a list is while it is empty, with the next step. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className={css.note}>
      <p>{children}</p>
      {action}
    </div>
  )
}

/** Grey bars at the height of rows. They show after 200 ms. */
export function Loading({ rows = 5 }: { rows?: number }) {
  return (
    <div className={css.bars} aria-busy="true">
      <span className="hidden-text">Loading</span>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are alike and never move
        <span key={index} className={css.bar} />
      ))}
    </div>
  )
}

/** A failed read, in the words of the server. */
export function Failed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const requestId = error instanceof MandateError ? error.requestId : undefined
  return (
    <div className={css.note} role="alert">
      <p>{error.message}</p>
      {requestId && (
        <p className={css.request}>
          Request <Copy what="id of the request" value={requestId} shown={shortId(requestId)} />
        </p>
      )}
      <Button onPress={onRetry}>Try again</Button>
    </div>
  )
}
