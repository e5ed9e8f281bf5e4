import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { numberOf } from '../../words/words.ts'
import { useWidth } from '../browser/use-width.ts'
import type { Search } from '../page/page-link.tsx'
import type { StateLook } from '../page/state.tsx'
import { visibleText } from '../texts/hidden-characters.ts'
import { type Bucket, niceMaximum, stackHeights } from './time-scale.ts'
import css from './time-series.module.css'

export interface Band {
  key: string
  look: StateLook
  /** Says the band's name on a lane of its own, below the stack. Without it the band has no lane. */
  lane?: string
}

export interface TimeMark {
  at: number
  text: string
}

export interface ChartProps {
  title: string
  /** From the bottom of the stack to its top. */
  bands: readonly Band[]
  /** Oldest first, with equal lengths. Only the first and the last may be shorter. */
  buckets: readonly Bucket[]
  /** Length of a bucket in ms. */
  every: number
  /** Whether the last bucket is still counted. */
  endsNow: boolean
  /** The page and the filters that show what a band has, in one bucket or in the whole span. */
  linkOf: (band: string, bucket?: Bucket) => { to: string; search: Search }
  /** How a time on the axis is written. */
  tickOf: (start: number) => string
  /** How a bucket is named in the table. */
  nameOf: (bucket: Bucket) => string
  marks?: readonly TimeMark[]
  totalOf: (band: string) => number
}

const left = 40
const stackTop = 18
const stackHeight = 182
const laneHeight = 24
const laneGap = 20
const axisHeight = 22
const gap = 2

/** The bars, drawn for the width that there is. */
export function Chart(props: ChartProps) {
  const { title, bands, buckets, every, endsNow, tickOf, marks = [], totalOf } = props
  const [ref, width] = useWidth<HTMLElement>()
  const summaryId = useId()
  const lanes = bands.filter(({ lane }) => lane !== undefined)
  const height = stackTop + stackHeight + lanes.length * (laneGap + laneHeight) + axisHeight
  const room = Math.max(0, width - left)
  const slot = buckets.length > 0 ? room / buckets.length : 0
  const xOf = (index: number) => left + index * slot
  const sum = ({ counts }: Bucket) => bands.reduce((all, { key }) => all + (counts[key] ?? 0), 0)
  const { maximum, step } = niceMaximum(Math.max(0, ...buckets.map(sum)), 3)
  const base = stackTop + stackHeight
  const first = buckets[0]?.start ?? 0
  const ticks = Array.from({ length: Math.round(maximum / step) + 1 }, (_, index) => index * step)
  const summary = bands.map(({ key, look }) => `${look.word} ${numberOf(totalOf(key))}`).join(', ')
  return (
    <figure ref={ref} className={css.figure} aria-labelledby={summaryId}>
      <figcaption id={summaryId} className="hidden-text">
        {title}: {summary}. The table has the values.
      </figcaption>
      {width > 0 && (
        <svg className={css.chart} width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {ticks.map((tick) => {
            const y = Math.round(base - (tick / maximum) * stackHeight) + 0.5
            return (
              <g key={tick}>
                <line className={tick === 0 ? css.axis : css.grid} x1={left} x2={width} y1={y} y2={y} />
                <text className={css.end} x={left - 6} y={y + 4}>
                  {numberOf(tick)}
                </text>
              </g>
            )
          })}
          {buckets.map((bucket, index) => (
            <Stack key={bucket.start} {...props} bucket={bucket} {...{ x: xOf(index), slot, base, maximum }} />
          ))}
          {lanes.map((band, index) => (
            <Lane key={band.key} {...props} band={band} {...{ width, slot, xOf }} top={base + index * 44 + laneGap} />
          ))}
          <Ticks {...{ buckets, endsNow, tickOf, xOf, slot, width }} y={height - 6} />
          {marks.map(({ at, text }) => {
            const x = left + ((at - first) / every) * slot
            const isRight = x > left + room / 2
            return (
              <g key={text}>
                <line className={css.mark} x1={x} x2={x} y1={2} y2={height - axisHeight} />
                <text className={isRight ? `${css.red} ${css.end}` : css.red} x={x + (isRight ? -5 : 5)} y={11}>
                  {visibleText(text)}
                </text>
              </g>
            )
          })}
        </svg>
      )}
    </figure>
  )
}

interface StackProps extends ChartProps {
  bucket: Bucket
  x: number
  slot: number
  base: number
  maximum: number
}

function Stack({ bands, bucket, linkOf, nameOf, x, slot, base, maximum }: StackProps) {
  const heights = stackHeights(
    bands.map(({ key }) => bucket.counts[key] ?? 0),
    maximum,
    stackHeight,
  )
  let top = base
  return bands.map(({ key, look }, index) => {
    const own = heights[index] ?? 0
    if (own === 0) return null
    top -= own
    return <Bar key={key} {...{ bucket, linkOf, nameOf, look }} band={key} x={x} slot={slot} y={top} height={own} />
  })
}

interface LaneProps extends ChartProps {
  band: Band
  width: number
  slot: number
  top: number
  xOf: (index: number) => number
}

function Lane({ band, buckets, linkOf, nameOf, width, slot, top, xOf }: LaneProps) {
  const largest = Math.max(1, ...buckets.map(({ counts }) => counts[band.key] ?? 0))
  const { maximum } = niceMaximum(largest, 1)
  const base = top + laneHeight
  return (
    <g>
      <text x={left} y={top - 4}>
        {band.lane}
      </text>
      <text className={css.end} x={left - 6} y={top + 4}>
        {numberOf(maximum)}
      </text>
      <line className={css.grid} x1={left} x2={width} y1={top + 0.5} y2={top + 0.5} />
      <line className={css.axis} x1={left} x2={width} y1={base + 0.5} y2={base + 0.5} />
      {buckets.map((bucket, index) => {
        const [height = 0] = stackHeights([bucket.counts[band.key] ?? 0], maximum, laneHeight)
        if (height === 0) return null
        const place = { x: xOf(index), slot, y: base - height, height }
        return <Bar key={bucket.start} {...{ bucket, linkOf, nameOf, look: band.look }} band={band.key} {...place} />
      })}
    </g>
  )
}

interface BarProps extends Pick<ChartProps, 'linkOf' | 'nameOf'> {
  bucket: Bucket
  band: string
  look: StateLook
  x: number
  slot: number
  y: number
  height: number
}

/** A bar that opens what it counts. The keyboard reaches the same links in the table. */
function Bar({ bucket, band, look, linkOf, nameOf, x, slot, y, height }: BarProps) {
  const { to, search } = linkOf(band, bucket)
  return (
    <Link to={to as '/'} search={search as never} tabIndex={-1}>
      <rect className={css[look.tone]} x={x + gap / 2} width={Math.max(1, slot - gap)} y={y} height={height}>
        <title>{`${nameOf(bucket)}: ${look.word} ${numberOf(bucket.counts[band] ?? 0)}`}</title>
      </rect>
    </Link>
  )
}

interface TicksProps extends Pick<ChartProps, 'buckets' | 'endsNow' | 'tickOf'> {
  xOf: (index: number) => number
  slot: number
  width: number
  y: number
}

const tickRoom = 76

function Ticks({ buckets, endsNow, tickOf, xOf, slot, width, y }: TicksProps) {
  if (slot === 0) return null
  const last = buckets.length - 1
  const every = Math.max(1, Math.ceil(tickRoom / slot))
  const lastRoom = endsNow ? tickRoom / 1.5 : tickRoom * 1.5
  return buckets.map(({ start }, index) => {
    const isLast = index === last
    if (!isLast && (index % every !== 0 || (last - index) * slot < lastRoom)) return null
    return (
      <text
        key={start}
        className={isLast ? (endsNow ? css.now : css.end) : index === 0 ? undefined : css.middle}
        x={isLast ? width : index === 0 ? xOf(0) : xOf(index) + slot / 2}
        y={y}
      >
        {isLast && endsNow ? 'now' : tickOf(start)}
      </text>
    )
  })
}
