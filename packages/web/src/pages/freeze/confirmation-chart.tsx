import { useWidth } from '../../ui/browser/use-width.ts'
import { numberOf } from '../../words/words.ts'
import { endOf, placeDots, quantile } from './dots.ts'
import { seconds } from './edge-table.tsx'
import css from './freeze.module.css'
import { dotsText, type Reach, reachLabel } from './reach.ts'

const height = 100
const left = 12
/** Room at the right for edges that did not confirm. */
const right = 92

/** One dot for each edge, at the time from the freeze to its confirmation. A square at the right is for edges that have not confirmed yet, a red one for edges that do not answer. */
export function ConfirmationChart({ reach, times }: { reach: Reach; times: readonly number[] }) {
  const [ref, whole] = useWidth<SVGSVGElement>()
  const { waiting, missing } = reach
  const isOpen = waiting + missing > 0
  const width = Math.max(0, whole - left - right)
  const lastMs = endOf(times)
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
  const at = (time: number) => left + (width * Math.min(time, lastMs)) / lastMs
  const label = [
    ...reachLabel(reach),
    p50 !== undefined && p99 !== undefined ? `Median ${seconds(p50)}, 99th percentile ${seconds(p99)}.` : '',
  ].join(' ')
  return (
    <>
      <p className={css.count}>
        <strong>{numberOf(reach.confirmed, 10_000)}</strong> of {numberOf(reach.total, 10_000)}
        {missing > 0 && waiting === 0 && ', every edge that answers'}
      </p>
      <svg ref={ref} className={css.chart} role="img" aria-label={label}>
        {[0, 0.25, 0.5, 0.75, 1].map((part) => (
          <g key={part}>
            <line className={css.grid} x1={at(part * lastMs)} x2={at(part * lastMs)} y1={8} y2={height + 8} />
            {/* The last label has no room beside the edges without an answer. */}
            {(part < 1 || !isOpen) && (
              <text className={css.tick} x={at(part * lastMs)} y={height + 26}>
                {`${(part * lastMs) / 1000} s`}
              </text>
            )}
          </g>
        ))}
        <line className={css.axis} x1={left} x2={left + width} y1={height + 8} y2={height + 8} />
        {isOpen && <line className={css.apart} x1={whole - 80} x2={whole - 80} y1={8} y2={height + 8} />}
        {placeDots(times, { width, height, lastMs }).map(({ x, y }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: dots have no identity
          <circle key={index} className={css.dot} cx={left + x} cy={y + 8} r={4} />
        ))}
        {p50 !== undefined && <Mark x={at(p50)} y={16} text={`p50 ${seconds(p50)}`} />}
        {p99 !== undefined && p99 !== p50 && <Mark x={at(p99)} y={32} text={`p99 ${seconds(p99)}`} />}
        {waiting > 0 && (
          <>
            <rect className={`${css.hollow} ${css.held}`} x={whole - 48} y={height - 61} width={10} height={10} />
            <text className={css.tick} x={whole - 43} y={height - 34}>
              {`waiting ${numberOf(waiting, 10_000)}`}
            </text>
          </>
        )}
        {missing > 0 && (
          <>
            <rect className={css.hollow} x={whole - 48} y={height - 5} width={10} height={10} />
            <text className={`${css.tick} ${css.red}`} x={whole - 43} y={height + 26}>
              {`no answer ${numberOf(missing, 10_000)}`}
            </text>
          </>
        )}
      </svg>
      <p className={css.note}>{dotsText(times.length, reach)}</p>
    </>
  )
}

function Mark({ x, y, text }: { x: number; y: number; text: string }) {
  return (
    <>
      <line className={css.mark} x1={x} x2={x} y1={y - 8} y2={height + 8} />
      <text className={css.value} x={x + 5} y={y}>
        {text}
      </text>
    </>
  )
}
