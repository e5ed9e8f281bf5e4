import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { timeZone } from '../../words/times.ts'
import { numberOf } from '../../words/words.ts'
import { Button } from '../actions/button.tsx'
import { singleKey } from '../actions/single-key.ts'
import { Table } from '../lists/table.tsx'
import { PageLink } from '../page/page-link.tsx'
import { Panel } from '../page/panel.tsx'
import { State } from '../page/state.tsx'
import { Chart, type ChartProps } from './time-chart.tsx'
import type { Bucket } from './time-scale.ts'
import css from './time-series.module.css'

interface TimeSeriesProps extends Omit<ChartProps, 'totalOf'> {
  more?: ReactNode
  /** Under the chart. */
  note?: ReactNode
}

/** Stacked bars over time, with lanes for what is rare. `T` shows the same values as a table while the focus is in the panel. */
export function TimeSeries(props: TimeSeriesProps) {
  const { title, bands, buckets, linkOf, nameOf, more, note } = props
  const [isTable, setTable] = useState(false)
  const totalOf = (band: string) => buckets.reduce((sum, { counts }) => sum + (counts[band] ?? 0), 0)
  const onKey = (event: KeyboardEvent) => {
    if (singleKey(event.nativeEvent) !== 't') return
    event.preventDefault()
    setTable(!isTable)
  }
  const legend = (
    <ul className={css.legend}>
      {bands.map(({ key, look }) => (
        <li key={key}>
          <PageLink {...linkOf(key)}>
            <State {...look} /> <b>{numberOf(totalOf(key))}</b>
          </PageLink>
        </li>
      ))}
      <li>Times: {timeZone()}</li>
    </ul>
  )
  const toggle = (
    <Button look="plain" onPress={() => setTable(!isTable)}>
      {isTable ? 'Chart' : 'Table'} <kbd className={css.key}>T</kbd>
    </Button>
  )
  const filled = buckets.filter(({ counts }) => bands.some(({ key }) => counts[key]))
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key works for what has the focus inside
    <div onKeyDown={onKey}>
      <Panel
        title={title}
        legend={legend}
        more={
          <span className={css.more}>
            {toggle}
            {more}
          </span>
        }
      >
        {isTable ? (
          <Table
            label={`${title}, the same values`}
            rows={filled}
            idOf={({ start }) => String(start)}
            columns={[
              { head: `Time, ${timeZone()}`, cell: nameOf },
              ...bands.map(({ key, look }) => ({
                head: look.word,
                isNumber: true,
                cell: (bucket: Bucket) =>
                  bucket.counts[key] ? (
                    <PageLink {...linkOf(key, bucket)}>{numberOf(bucket.counts[key])}</PageLink>
                  ) : (
                    '0'
                  ),
              })),
            ]}
          />
        ) : (
          <Chart {...props} totalOf={totalOf} />
        )}
        {isTable && filled.length === 0 && <p className={css.note}>There is no value in this span.</p>}
        {note && <div className={css.note}>{note}</div>}
      </Panel>
    </div>
  )
}
