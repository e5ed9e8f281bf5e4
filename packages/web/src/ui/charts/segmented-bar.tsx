import { useWidth } from '../browser/use-width.ts'
import type { Tone } from '../page/state.tsx'
import css from './segmented-bar.module.css'

interface SegmentedBarProps {
  parts: readonly { key: string; value: number; tone: Tone }[]
  /** The same numbers in words. */
  label: string
}

const gap = 2
const least = 3

/** A bar of parts in the order of its legend. Each part is at least 3 px wide. */
export function SegmentedBar({ parts, label }: SegmentedBarProps) {
  const [ref, width] = useWidth<SVGSVGElement>()
  const total = parts.reduce((sum, { value }) => sum + value, 0)
  const room = Math.max(0, width - gap * (parts.length - 1) - least * parts.length)
  let x = 0
  return (
    <svg ref={ref} className={css.bar} role="img" aria-label={label || 'None'}>
      {parts.map(({ key, value, tone }) => {
        const own = least + (total > 0 ? (room * value) / total : 0)
        const at = x
        x += own + gap
        return <rect key={key} className={css[tone] ?? css.quiet} x={at} width={own} height={8} />
      })}
      {parts.length === 0 && <rect className={css.none} width={width} height={8} />}
    </svg>
  )
}
