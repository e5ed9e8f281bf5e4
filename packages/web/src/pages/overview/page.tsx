import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useEnvironments } from '../../api/environments.ts'
import { read } from '../../api/queries.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { useMedia } from '../../ui/browser/use-media.ts'
import { PageHead } from '../../ui/page/page-head.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { onlyGranted } from '../../words/words.ts'
import { facetsQuery } from '../agents/queries.ts'
import type { AgentFacets } from './agent-facets.ts'
import { Agents, Edges, Findings, Trail } from './counts.tsx'
import { Decisions } from './decisions.tsx'
import { AfterThat, LiveDecisions } from './first-run-aside.tsx'
import { sentenceOf } from './first-steps.ts'
import css from './overview.module.css'
import { FirstRunSentence, firstClauseOf, OverviewSentence } from './sentence.tsx'
import { type FirstRun, useFirstRun } from './use-first-run.ts'
import { Waiting } from './waiting.tsx'

// Most organizations have no checklist, and its forms need much code.
const Checklist = lazy(async () => ({ default: (await import('./first-run.tsx')).Checklist }))

/** What needs the reader now, and is anything wrong? A new organization sees its first steps before that. */
export function OverviewPage() {
  const overview = useQuery(read('getOverview', { query: { include: 'names' } }))
  const counted = useQuery(facetsQuery({}))
  const error = overview.error ?? counted.error
  const { isShown, ...firstRun } = useFirstRun()
  const facets = counted.data
  const data = firstRun.isLoading || !facets ? undefined : overview.data
  const nothing = useNothingGranted(data)
  // A person who sees no environment cannot take the first step.
  const run = { ...firstRun, isShown: isShown && nothing === undefined }
  const steps = nothing ?? (run.isShown ? sentenceOf(run.done) : undefined)
  return (
    <>
      <PageHead
        name="Overview"
        actions={
          run.isShown && (
            <Button look="plain" onPress={run.hide}>
              Hide the checklist
            </Button>
          )
        }
        sentence={
          data &&
          facets &&
          (steps ? (
            <FirstRunSentence overview={data} facets={facets} steps={steps} />
          ) : (
            <OverviewSentence overview={data} facets={facets} />
          ))
        }
        {...(data && { firstClause: steps ?? firstClauseOf(data) })}
      />
      {error && !data && (
        <Failed error={error} onRetry={() => void Promise.all([overview.refetch(), counted.refetch()])} />
      )}
      {!data && !error && <Loading rows={10} />}
      {data && facets && <Columns run={run} overview={data} facets={facets} />}
    </>
  )
}

/** What a person reads who sees no agent and no environment, although the organization may have some. */
function useNothingGranted(overview: Schema<'Overview'> | undefined): string | undefined {
  const text = onlyGranted(useSession().user)
  const { environments } = useEnvironments({ enabled: text !== undefined })
  return overview?.agents.total === 0 && environments?.length === 0 ? text : undefined
}

interface ColumnsProps {
  run: FirstRun
  overview: Schema<'Overview'>
  facets: AgentFacets
}

/** Wide windows have three columns. A new organization keeps its steps in the first one. */
function Columns({ run, overview, facets }: ColumnsProps) {
  const isWide = useMedia('(min-width: 1600px)')
  const isEmpty = run.isShown && overview.agents.total === 0
  const steps = run.isShown && (
    <Suspense fallback={<Loading rows={10} />}>
      <Checklist run={run} />
    </Suspense>
  )
  const next = run.isShown && (
    <>
      <LiveDecisions run={run} />
      <AfterThat run={run} />
    </>
  )
  if (isEmpty)
    return (
      <div className={css.columns}>
        <div className={css.stack}>{steps}</div>
        <div className={css.stack}>{next}</div>
      </div>
    )
  const parts = {
    waiting: <Waiting overview={overview} />,
    decisions: <Decisions />,
    findings: <Findings overview={overview} />,
    agents: <Agents overview={overview} facets={facets} />,
    rest: (
      <>
        <Edges overview={overview} />
        <Trail overview={overview} />
      </>
    ),
  }
  return isWide ? (
    <div className={css.columns} data-wide>
      <div className={css.stack}>
        {steps}
        {parts.waiting}
        {!steps && parts.agents}
      </div>
      <div className={css.stack}>
        {parts.decisions}
        {steps && parts.agents}
      </div>
      <div className={css.stack}>
        {next}
        {parts.findings}
        {parts.rest}
      </div>
    </div>
  ) : (
    <div className={css.columns}>
      <div className={css.stack}>
        {steps}
        {parts.waiting}
        {parts.decisions}
      </div>
      <div className={css.stack}>
        {next}
        {parts.findings}
        {parts.agents}
        {parts.rest}
      </div>
    </div>
  )
}
