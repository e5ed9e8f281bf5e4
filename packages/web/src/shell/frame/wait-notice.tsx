import { useState, useSyncExternalStore } from 'react'
import { type Wait, waits } from '../../api/waits.ts'
import { useNow } from '../../ui/browser/use-now.ts'
import { Glyph } from '../../ui/texts/glyph.tsx'
import { duration } from '../../words/times.ts'
import css from './wait-notice.module.css'

/** Says how long the server wants the dashboard to wait, above everything else. */
export function WaitNotice() {
  const wait = useSyncExternalStore(waits.listen, waits.read)
  return (
    <div role="status" className={css.region} data-react-aria-top-layer="true">
      {wait && <Notice key={wait.until} {...wait} />}
    </div>
  )
}

function Notice({ until, isOver }: Wait) {
  const left = until - useNow()
  // Screen readers read the message once, not each second.
  const [whole] = useState(() => duration(until - Date.now()))
  if (left <= 0) return null
  return (
    <p className={css.notice}>
      <Glyph name="clock" />
      <span>
        {isOver ? 'Too many requests. Try again in ' : 'Too many requests. The page continues by itself in '}
        <span aria-hidden="true">{duration(left)}.</span>
        <span className="hidden-text">{whole}.</span>
      </span>
    </p>
  )
}
