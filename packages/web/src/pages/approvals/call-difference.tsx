import { ForeignText } from '../../ui/texts/foreign-text.tsx'
import { ClockTime } from '../../ui/texts/time.tsx'
import css from './call-difference.module.css'
import type { Approval } from './queries.ts'
import { differenceOf } from './telling-apart.ts'

/** What tells a waiting call from others that look like it. The text is of the agent. */
export function CallDifference({ call, calls }: { call: Approval; calls: readonly Approval[] }) {
  const difference = differenceOf(call, calls)
  if (difference === undefined) return null
  if (difference === 'time')
    return (
      <span className={css.line}>
        asked <ClockTime at={call.requested_at} />
      </span>
    )
  return (
    <span className={`${css.line} ${css.agent} mono`}>
      <ForeignText text={difference.name} />: <ForeignText text={difference.text} />
    </span>
  )
}
