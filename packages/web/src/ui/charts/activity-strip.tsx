import css from './activity-strip.module.css'

interface ActivityStripProps {
  /** For each of 24 hours the allowed calls, the denied calls, and the calls that waited. */
  hours: readonly (readonly number[])[]
  label: string
}

const step = 4
const height = 16
const tick = 3

/** 24 bars of an hour. Denied calls are ticks at the top edge, because few of them vanish above many allowed ones. */
export function ActivityStrip({ hours, label }: ActivityStripProps) {
  const totals = hours.map((counts) => counts.reduce((sum, count) => sum + count, 0))
  const most = Math.max(1, ...totals)
  const calls = totals.map((total, hour) => {
    const size = total === 0 ? 0 : Math.max(1.5, (total / most) * (height - tick - 2))
    return size > 0 ? bar(hour, height - size, size) : ''
  })
  const denied = hours.map((counts, hour) => ((counts[1] ?? 0) > 0 ? bar(hour, 0, tick) : ''))
  return (
    <svg
      className={css.strip}
      viewBox={`0 0 ${24 * step} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <rect className={css.none} y={height - 1} width={24 * step} height={1} />
      {/* One path for all bars: a long list has many strips. */}
      <path className={css.calls} d={calls.join('')} />
      <path className={css.denied} d={denied.join('')} />
    </svg>
  )
}

const bar = (hour: number, y: number, size: number) => `M${hour * step} ${y}h${step - 1}v${size}h${1 - step}z`
