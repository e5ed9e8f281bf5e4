import { type Clause, Sentence } from '../../ui/texts/sentence.tsx'
import { counted } from '../../words/words.ts'
import type { Period } from './decision-chart.tsx'
import { countedIn } from './period.ts'
import { type Range, type SpanName, spans } from './spans.ts'
import { type TimelineFilters, useTimeline } from './use-timeline.ts'

interface DecisionsSentenceProps {
  span: SpanName
  filters: TimelineFilters
  range: Range | undefined
  period: Period
}

/** How many decisions denied, held and allowed a call in the period of the chart. A call that is made again after an approval is two decisions. */
export function DecisionsSentence({ span, filters, range, period }: DecisionsSentenceProps) {
  const { effect: _effect, ...others } = filters
  const { data } = useTimeline(span, others, 'effect', range)
  if (!data) return null
  const totalOf = (effect: string) => data.keys.find(({ key }) => key === effect)?.total ?? 0
  const [allowed, held, denied] = [totalOf('allow'), totalOf('require_approval'), totalOf('deny')]
  const inPeriod = range ? countedIn(range) : `In ${spans[span].last}`
  const linkTo = (effect: string) => ({
    to: '/decisions',
    search: { ...others, effect, span: span === 'day' ? undefined : span, ...period },
  })
  const clauses: Clause[] = []
  if (denied > 0)
    clauses.push({
      text: counted(denied, '# decision denied a call', '# decisions denied a call'),
      ...linkTo('deny'),
      tone: 'deny',
    })
  if (held > 0)
    clauses.push({
      text: counted(held, '# decision held a call', '# decisions held a call'),
      ...linkTo('require_approval'),
      tone: 'hold',
    })
  if (clauses.length === 0)
    return (
      <Sentence
        fine={
          allowed > 0
            ? `${inPeriod}, ${counted(allowed, '# decision allowed a call.', '# decisions allowed a call.')} No call was held or denied.`
            : `${inPeriod}, no decision was recorded.`
        }
      />
    )
  return (
    <>
      {inPeriod},{' '}
      <Sentence
        wrong={clauses}
        fine={allowed > 0 ? counted(allowed, '# decision allowed a call.', '# decisions allowed a call.') : undefined}
      />
    </>
  )
}
