import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import type { TimeMark } from '../../ui/charts/time-chart.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { clockTime } from '../../words/times.ts'
import { counted, numberOf } from '../../words/words.ts'
import { DecisionChart } from '../decisions/decision-chart.tsx'
import { type SpanName, spanOf, spans } from '../decisions/spans.ts'
import { useTimeline } from '../decisions/use-timeline.ts'

/** The decisions of the last hour, day or week, with the last drift that began in it. */
export function Decisions() {
  const name = spanOf(useSearch({ from: '/inside/' }).span)
  const navigate = useNavigate()
  const choose = (span: SpanName) => void navigate({ to: '/', search: span === 'day' ? {} : { span } })
  return (
    <DecisionChart span={name} onSpan={choose} filters={{}} marks={useDriftMark()} note={<Deniers span={name} />} />
  )
}

function useDriftMark(): TimeMark[] {
  const { data } = useQuery(
    read('listFindings', {
      query: { type: 'policy_drift_unapproved', status: 'open', limit: 1, include: 'names' },
    }),
  )
  const [finding] = data?.data ?? []
  if (!finding) return []
  const agent = data?.names?.[finding.agent_id]
  const at = clockTime(finding.opened_at)
  return [{ at: Date.parse(finding.opened_at), text: agent ? `${at} ${agent}: drift began` : `${at} Drift began` }]
}

/** Says which agent most denials come from. */
function Deniers({ span }: { span: SpanName }) {
  const { data } = useTimeline(span, { effect: 'deny' }, 'agent')
  const [most] = data?.keys.filter(({ key }) => key !== 'other' && key !== 'none') ?? []
  const total = data?.keys.reduce((sum, { total }) => sum + total, 0) ?? 0
  if (!most || most.name === null) return null
  const search = { effect: 'deny', agent_id: most.key, span: span === 'day' ? undefined : span }
  return (
    <>
      {numberOf(most.total)} of {counted(total, '# denial', '# denials')} in {spans[span].last}{' '}
      {most.total === 1 ? 'comes' : 'come'} from{' '}
      <PageLink to="/decisions" search={search}>
        <Name>{most.name}</Name>
      </PageLink>
      .
    </>
  )
}
