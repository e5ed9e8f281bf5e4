import { duration } from '../../words/times.ts'
import { useNow } from '../browser/use-now.ts'
import { useWidth } from '../browser/use-width.ts'
import css from './time-left.module.css'

const lastMinute = 60_000

interface TimeLeftProps {
  from: string
  until: string
}

/** How much time is left, in words, with a bar. The last minute is red. */
export function TimeLeft({ from, until }: TimeLeftProps) {
  const now = useNow()
  const [ref, width] = useWidth<SVGSVGElement>()
  const left = Math.max(0, Date.parse(until) - now)
  const whole = Math.max(1, Date.parse(until) - Date.parse(from))
  return (
    <span className={css.left} data-urgent={left < lastMinute}>
      <span>{left > 0 ? `${duration(left)} left` : 'time is over'}</span>
      <svg ref={ref} className={css.bar} aria-hidden="true">
        <rect className={css.rest} width={width} height={3} />
        <rect className={css.done} width={Math.min(1, left / whole) * width} height={3} />
      </svg>
    </span>
  )
}

/** The time left as a timer, such as `1:48`. Screen readers hear once that the last minute runs. */
export function Timer({ until }: { until: string }) {
  const now = useNow()
  const left = Math.max(0, Date.parse(until) - now)
  const seconds = Math.floor(left / 1000)
  return (
    <>
      <span className={css.timer} data-urgent={left < lastMinute} role="timer" aria-label={`${duration(left)} left`}>
        {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, '0')}
      </span>
      <span className="hidden-text" role="status">
        {left > 0 && left < lastMinute && 'Less than one minute is left.'}
      </span>
    </>
  )
}
