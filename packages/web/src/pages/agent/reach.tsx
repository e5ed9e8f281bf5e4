import type { Answer } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { client } from '../../api/client.ts'
import { Table } from '../../ui/lists/table.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { Phrase } from '../../ui/texts/direction/phrase.tsx'
import { ForeignText } from '../../ui/texts/foreign-text.tsx'
import { Glyph, type GlyphName } from '../../ui/texts/glyph.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { counted, numberOf } from '../../words/words.ts'
import { useTimeline } from '../decisions/use-timeline.ts'
import { decidingPart } from '../policy/document/document.ts'
import css from './agent.module.css'
import { useReachPolicy } from './reach-choice.tsx'
import type { Agent, ReachPolicies } from './words.ts'

type Verdict = 'allow' | 'require_approval' | 'deny' | 'depends'
type Row = { tool: string; verdict: Verdict | undefined; calls: number }

const verdicts: readonly { verdict: Verdict; head: string; glyph: GlyphName }[] = [
  { verdict: 'allow', head: 'Allow', glyph: 'allow' },
  { verdict: 'require_approval', head: 'Approval', glyph: 'hold' },
  { verdict: 'deny', head: 'Deny', glyph: 'deny' },
  { verdict: 'depends', head: 'Depends', glyph: 'depends' },
]

/** The most calls of one simulation. */
const mostTools = 100
/** `useReached` reads at most this many pages of `getAgentReach`. */
const mostPages = 10

/** The tools that are known of the agent, each with the verdict of `getAgentReach`. The verdict of any other tool is simulated. */
export function Reach({ agent, choice }: { agent: Agent; choice?: ReactNode }) {
  const { by, policy, running, isStopped } = useReachPolicy(agent)
  const timelineRead = useTimeline('day', { agent_id: agent.id }, 'tool')
  const timeline = timelineRead.data
  const calls = new Map((timeline?.keys ?? []).map(({ key, total }) => [key, total]))
  const used = [...calls.keys()].filter((tool) => tool !== 'other' && tool !== 'none')
  const attested = agent.execution_coverage.attested?.tools ?? []
  const known = [...new Set([...used, ...attested, ...agent.tools])]
  const tools = known.slice(0, mostTools)
  const reached = useReached(agent, timeline ? tools : [], policy)
  const others = reached.data ? tools.filter((tool) => !reached.data.has(tool)) : []
  const simulated = useSimulated(agent, isStopped ? [] : others, running)
  if (!timeline)
    return (
      <Panel title="Reach">
        {timelineRead.error ? (
          <Failed error={timelineRead.error} onRetry={() => void timelineRead.refetch()} />
        ) : (
          <Loading rows={5} />
        )}
      </Panel>
    )
  const rows = tools.map((tool): Row => {
    const result = simulated.data?.results[others.indexOf(tool)]
    return {
      tool,
      calls: calls.get(tool) ?? 0,
      verdict: reached.data?.get(tool) ?? (isStopped ? 'deny' : result && verdictOf(result)),
    }
  })
  const failed = reached.error ? reached : simulated
  const most = Math.max(1, ...rows.map(({ calls }) => calls))
  return (
    <Panel
      title="Reach"
      legend={
        <span className={css.note}>
          {counted(rows.length, '# known tool', '# known tools')}
          {known.length > mostTools && ` of ${numberOf(known.length)}`}, by <Phrase>{by}</Phrase>
        </span>
      }
    >
      {choice}
      {failed.error && <Failed error={failed.error} onRetry={() => void failed.refetch()} />}
      {rows.length === 0 ? (
        <p className={css.note}>No tool is known so far. The runtime or the first calls name them.</p>
      ) : (
        <Table
          label="Tools of the agent by verdict"
          rows={rows}
          idOf={({ tool }) => tool}
          columns={[
            {
              head: 'Tool',
              cell: ({ tool }) => (
                <span className="mono">
                  <ForeignText text={tool} />
                </span>
              ),
            },
            ...verdicts.map(({ verdict, head, glyph }) => ({
              head,
              isMark: true,
              cell: (row: Row) => (
                <span className={css.mark} data-verdict={row.verdict === verdict ? verdict : undefined}>
                  {row.verdict === verdict && (
                    <>
                      <Glyph name={glyph} />
                      <span className="hidden-text">{head}</span>
                    </>
                  )}
                </span>
              ),
            })),
            { head: 'Calls, 24 h', isNumber: true, cell: (row: Row) => <Calls row={row} most={most} /> },
          ]}
        />
      )}
    </Panel>
  )
}

/** Each tool is looked at by itself. Calls of the tools before it, which may use up a limit, do not count. */
function verdictOf({ effect, undecided, over_limit }: Answer<'simulatePolicy'>['results'][number]): Verdict {
  if (over_limit !== null) return 'allow'
  return undecided === null ? effect : 'depends'
}

/** The calls of a tool, with a bar that compares it with the tool that is called most. */
function Calls({ row: { calls }, most }: { row: Row; most: number }) {
  const width = calls === 0 ? 0 : Math.max(1.5, (96 * calls) / most)
  return (
    <span className={css.calls}>
      <svg className={css.bar} viewBox="0 0 96 8" preserveAspectRatio="none" aria-hidden="true">
        <rect width={width} height={8} />
      </svg>
      {numberOf(calls)}
    </span>
  )
}

/**
 * Reads the verdicts of the tools that servers of the environment declare, so that they are the same as in the list of these tools. The API returns
 * the tools in the order of their names, so nothing is read after the last tool.
 */
function useReached({ id, environment }: Agent, tools: readonly string[], policy: 'in_force' | 'running') {
  return useQuery({
    queryKey: ['getAgentReach', 'of tools', id, environment?.id, policy, tools],
    queryFn: async ({ signal }) => {
      const verdicts = new Map<string, Verdict>()
      let token: string | undefined
      for (let pages = 0; pages < mostPages; pages++) {
        const query = { policy, page_size: 200, ...(token !== undefined && { page_token: token }) }
        const page = await client.call('getAgentReach', { path: { agent_id: id }, query, signal })
        for (const { tool, verdict } of page.data) verdicts.set(tool, verdict)
        token = page.next_page_token
        const last = page.data.at(-1)?.tool ?? ''
        if (token === undefined || tools.every((tool) => tool <= last)) break
      }
      return verdicts
    },
    enabled: tools.length > 0,
  })
}

function useSimulated(
  { policy, environment, id, name, status }: Agent,
  tools: readonly string[],
  running: ReachPolicies['running'],
) {
  const decides = running ?? policy
  return useQuery<Answer<'simulatePolicy'>>({
    queryKey: ['simulatePolicy', decides?.id, decides?.version, id, tools],
    queryFn: async ({ signal }) => {
      const path = { policy_id: decides?.id ?? '' }
      const version =
        running && (await client.call('getPolicyVersion', { path: { ...path, version: running.version }, signal }))
      return client.call('simulatePolicy', {
        path,
        body: {
          calls: tools.map((tool) => ({ tool, agent: { id, name, status }, ...(environment && { environment }) })),
          ...(version && { document: decidingPart(version.snapshot) as never }),
        },
        signal,
      })
    },
    enabled: decides !== null && tools.length > 0,
  })
}
