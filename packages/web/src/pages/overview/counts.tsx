import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { read } from '../../api/queries.ts'
import { SegmentedBar } from '../../ui/charts/segmented-bar.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State, type StateLook } from '../../ui/page/state.tsx'
import { coverages, lifecycles } from '../../ui/page/states.ts'
import { Time, WordedTime } from '../../ui/texts/time.tsx'
import { reachText, stopWords } from '../../words/reach.ts'
import { asOf } from '../../words/times.ts'
import { counted, numberOf } from '../../words/words.ts'
import { sealTime, verificationLook } from '../audit/words.ts'
import { findingTypes } from '../findings/finding-types.ts'
import { type AgentFacets, countsOf, governedOf } from './agent-facets.ts'
import css from './overview.module.css'

type Overview = Schema<'Overview'>
interface OfOverview {
  overview: Overview
}

const most = 10_000

/** When the server counted the numbers of a panel. */
const AsOf = ({ at }: { at: string }) => (
  <span className={css.counted}>
    <WordedTime at={at} words={asOf} />
  </span>
)

/** The open findings of each type, the most serious type first. */
export function Findings({ overview: { findings, findings_total: total, as_of } }: OfOverview) {
  const rows = findingTypes.filter(({ type }) => findings[type] > 0)
  const largest = Math.max(1, ...rows.map(({ type }) => findings[type]))
  return (
    <Panel
      title="Open findings"
      legend={<AsOf at={as_of} />}
      more={
        <PageLink to="/findings" search={{ status: 'open' }}>
          All {numberOf(total, most)}
        </PageLink>
      }
    >
      {rows.length === 0 && <p className={css.none}>No finding is open.</p>}
      <ul className={css.findings}>
        {rows.map(({ type, look }) => (
          <li key={type}>
            <PageLink to="/findings" search={{ type, status: 'open' }}>
              <State {...look} />
              <svg className={css.bar} viewBox="0 0 60 8" preserveAspectRatio="none" aria-hidden="true">
                <rect
                  className={css[`bar-${look.tone}`]}
                  width={Math.max(3, (60 * findings[type]) / largest)}
                  height={8}
                />
              </svg>
              <b>{numberOf(findings[type], most)}</b>
            </PageLink>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** Governed agents by lifecycle and by coverage, as the list of agents counts them. */
export function Agents({ overview: { agents }, facets }: OfOverview & { facets: AgentFacets }) {
  const { lifecycle_status: lifecycle, execution_coverage_state: coverage } = facets
  // If there are many agents, the facet counts the newest ones only.
  const isPart = coverage.some(({ at_least }) => at_least)
  return (
    <Panel title="Agents" more={<PageLink to="/agents">All {numberOf(governedOf(facets), most)}</PageLink>}>
      <Split title="Lifecycle" filter="lifecycle_status" looks={lifecycles} counts={countsOf(lifecycle)} />
      <Split
        title="Coverage"
        filter="execution_coverage"
        looks={coverages}
        counts={isPart ? agents.by_execution_coverage_state : countsOf(coverage)}
      />
    </Panel>
  )
}

/** How many edges report, and how fast the last stop reached them. */
export function Edges({ overview: { edges, stop_reach: reach, as_of } }: OfOverview) {
  return (
    <Panel title="Edges and reach" legend={<AsOf at={as_of} />} more={<PageLink to="/edges">All</PageLink>}>
      <KeyValues
        rows={[
          ['Reporting', <Reporting key="reporting" {...edges} />],
          [
            'Last suspension, freeze or drill',
            <span key="stop">
              {reach ? `${stopWords[reach.kind]}. ${reachText(reach)}` : 'None in the last 30 days'}.{' '}
              <PageLink to="/freezes">Freezes and drills</PageLink>
            </span>,
          ],
        ]}
      />
    </Panel>
  )
}

/** The instances that report, of those that run. An edge may run several, and an agent may have an edge with its own key. */
function Reporting({ instances: total, instances_silent: silent }: Overview['edges']): ReactNode {
  if (total === 0) return 'No edge runs'
  return (
    <>
      {numberOf(total - silent, most)} of {numberOf(total, most)}
      {silent > 0 && (
        <>
          <br />
          <PageLink to="/edges" search={{ silent: 'true' }}>
            <State glyph="lost" tone="deny" word={counted(silent, '# is silent', '# are silent', most)} />
          </PageLink>
        </>
      )}
    </>
  )
}

interface SplitProps<V extends string> {
  title: string
  filter: string
  looks: Record<V, StateLook>
  counts: Partial<Record<V, number>>
}

function Split<V extends string>({ title, filter, looks, counts }: SplitProps<V>) {
  const countOf = (value: V) => counts[value] ?? 0
  const values = (Object.keys(looks) as V[]).filter((value) => countOf(value) > 0)
  return (
    <>
      <h3 className={css.label}>{title}</h3>
      <SegmentedBar
        parts={values.map((value) => ({ key: value, value: countOf(value), tone: looks[value].tone }))}
        label={values.map((value) => `${looks[value].word} ${numberOf(countOf(value), most)}`).join(', ')}
      />
      <ul className={css.keys}>
        {values.map((value) => (
          <li key={value}>
            <PageLink to="/agents" search={{ [filter]: value }}>
              <State {...looks[value]} />
            </PageLink>
            <b>{numberOf(countOf(value), most)}</b>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The audit trail. Left out for a reader who may not verify it. */
export function Trail({ overview: { audit } }: OfOverview) {
  const { data: proof, error } = useQuery({ ...read('getAuditProof'), enabled: Boolean(audit) })
  if (!audit) return null
  return (
    <Panel title="Audit trail" more={<PageLink to="/audit">Open</PageLink>}>
      <KeyValues
        rows={[
          [
            'Sealed',
            audit.sealed_through ? (
              <>
                <State glyph="seal" tone="proof" word="through" />{' '}
                <WordedTime at={audit.sealed_through} words={sealTime} />
              </>
            ) : (
              'No entry is sealed yet'
            ),
          ],
          ['Verified', proof ? <Verified key="verified" proof={proof} /> : (error?.message ?? 'Not read yet')],
          ['Entries', numberOf(audit.entries)],
        ]}
      />
    </Panel>
  )
}

/** What the last verification of the trail found, and when. */
function Verified({ proof }: { proof: Schema<'AuditProof'> }) {
  const { last_verification: last } = proof
  return (
    <>
      <State {...verificationLook(proof)} />
      {last && (
        <>
          {' '}
          <Time at={last.at} />
        </>
      )}
    </>
  )
}
