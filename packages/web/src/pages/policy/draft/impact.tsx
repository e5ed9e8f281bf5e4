import { Segments } from '../../../ui/fields/segments.tsx'
import { KeyValues } from '../../../ui/lists/key-values.tsx'
import { type Column, Table } from '../../../ui/lists/table.tsx'
import { Box } from '../../../ui/page/box.tsx'
import { PageLink } from '../../../ui/page/page-link.tsx'
import { State, type StateLook } from '../../../ui/page/state.tsx'
import { effects } from '../../../ui/page/states.ts'
import { Glyph } from '../../../ui/texts/glyph.tsx'
import { Name } from '../../../ui/texts/name.tsx'
import { Failed, Loading } from '../../../ui/texts/notes.tsx'
import { Moment } from '../../../ui/texts/time.tsx'
import { ToolName } from '../../../ui/texts/tool-name.tsx'
import { whyMissing } from '../../../words/kept-arguments.ts'
import { counted, numberOf } from '../../../words/words.ts'
import { callsOf, lastDays, type Replay, type ReplayDays, replays } from '../document/replay.ts'
import { effectOf } from '../rules/words.ts'
import type { useImpact } from './checks.ts'
import css from './impact.module.css'

type Effect = keyof typeof effects

const order = ['allow', 'require_approval', 'deny'] as const
const depends: StateLook = { glyph: 'depends', word: 'Depends', tone: 'quiet' }
const short: Record<Effect, StateLook> = {
  ...effects,
  require_approval: { ...effects.require_approval, word: 'Approval' },
}

/** What would replace a policy, in words. */
interface Replacement {
  title: string
  /** Such as "the draft". */
  candidate: string
  /** What it would replace, such as "the version in force". */
  current: string
}

const draft: Replacement = {
  title: 'Impact of this draft',
  candidate: 'the draft',
  current: 'the version in force',
}

interface ImpactProps {
  impact: ReturnType<typeof useImpact>
  of?: Replacement
  /** The policy that decided the recorded calls. */
  policyId: string
  /** The only agent whose calls were replayed. Undefined for all agents of the policy. */
  agentId?: string
  days: ReplayDays
  onDays: (days: ReplayDays) => void
  /** Why there is no impact to show. */
  missing: string | undefined
}

/** Which recorded decisions a draft, or another policy, would change. */
export function Impact({
  impact: { data, error, refetch, isFetching, isPlaceholderData },
  of = draft,
  policyId,
  agentId,
  days,
  onDays,
  missing,
}: ImpactProps) {
  const replay = data?.replay
  const choice = <Segments label="Recorded decisions" value={days} onChange={onDays} options={replays} />
  return (
    <Box
      title={of.title}
      aside={
        missing === undefined && replay ? (
          <span className={css.aside}>
            {isFetching || isPlaceholderData ? (
              'computing'
            ) : (
              <span>
                until <Moment at={replay.to} />
              </span>
            )}
            {choice}
          </span>
        ) : undefined
      }
    >
      {missing !== undefined ? (
        <p className={css.note}>{missing}</p>
      ) : error ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : replay ? (
        <Shown replay={replay} of={of} policyId={policyId} agentId={agentId} />
      ) : (
        <Loading rows={5} />
      )}
    </Box>
  )
}

const verdicts: Record<Replay['change_class'], (current: string) => string> = {
  tightens: () => 'This tightens.',
  loosens: () => 'This loosens.',
  mixed: () => 'This may allow more in some cases and less in others.',
  neutral: (current) => `This decides every call like ${current}.`,
}

function verdictText(replay: Replay): string {
  if (replay.decisions === 0) return `No call of ${lastDays(replay)} is recorded to compare with.`
  if (replay.change_class === 'neutral') {
    return replay.changed === 0
      ? ''
      : `${counted(replay.changed, '# recorded call was', '# recorded calls were')} decided in another way, by an earlier version.`
  }
  const { held, denied, freed, depends } = effectOf(replay)
  const parts = [
    held > 0 && `${counted(held, '# would wait for a person', '# would wait for a person')}`,
    denied > 0 && `${counted(denied, '# would be denied', '# would be denied')}`,
    freed > 0 && `${counted(freed, '# would become free', '# would become free')}`,
    depends > 0 && `for ${numberOf(depends)} the result is unknown, because it depends on what is not recorded`,
  ].filter((part) => part !== false)
  const of = `Of ${counted(replay.decisions, '# recorded decision', '# recorded decisions')} of ${lastDays(replay)},`
  return parts.length === 0 ? `${of} none would change.` : `${of} ${parts.join(', ')}.`
}

interface ShownProps {
  replay: Replay
  of: Replacement
  policyId: string
  agentId: string | undefined
}

function Shown({ replay, of, policyId, agentId }: ShownProps) {
  return (
    <>
      <p className={css.verdict} role="status">
        <b>{verdicts[replay.change_class](of.current)}</b> {verdictText(replay)}
        {!replay.complete && ' The replay is incomplete: there are more different calls than it can check.'}
      </p>
      <Missing {...replay.arguments} />
      <Matrix matrix={replay.matrix} />
      <p className={css.note}>
        Read a row: what was decided, also by earlier versions. Read a column: what {of.candidate} decides. Calls of
        agents that were not allowed to act are left out.
      </p>
      {agentId === undefined && <Agents replay={replay} policyId={policyId} />}
      <Examples replay={replay} policyId={policyId} agentId={agentId} />
    </>
  )
}

function Agents({ replay, policyId }: Pick<ShownProps, 'replay' | 'policyId'>) {
  return (
    <>
      <KeyValues
        rows={[
          [
            'Agents',
            <span key="agents">
              <PageLink to="/agents" search={{ policy_id: policyId }}>
                {counted(replay.agents.total, '# has this policy', '# have this policy', 10_000)}
              </PageLink>
              , {counted(replay.agents.affected, '# is affected', '# are affected', 10_000)}
            </span>,
          ],
        ]}
      />
      {replay.agents.total > 0 && (
        <p className={css.note}>
          After a save, an approved agent runs a version that nobody has approved, until a review approves it.
        </p>
      )}
    </>
  )
}

const mostMissing = 5

/** Which arguments the replay knew, and which it did not. */
function Missing({ decided, missing }: Replay['arguments']) {
  if (decided === 0 && missing.length === 0) return null
  return (
    <p className={css.note}>
      {decided > 0 && `${counted(decided, '# call was', '# calls were')} decided by kept arguments. `}
      {missing.slice(0, mostMissing).map(({ path, because, calls }) => (
        <span key={`${path} ${because}`}>
          <code>
            <Name>{path}</Name>
          </code>{' '}
          is missing for {counted(calls, '# call', '# calls')}: {whyMissing(because)}.{' '}
        </span>
      ))}
      {missing.length > mostMissing && 'Other arguments are missing, too. '}
      {missing.some(({ because }) => because === 'not_recorded') && (
        <>
          An environment can keep the arguments that conditions read.{' '}
          <PageLink to="/environments">Open the environments</PageLink>
        </>
      )}
    </p>
  )
}

function Matrix({ matrix }: Pick<Replay, 'matrix'>) {
  return (
    <section
      className={css.scroller}
      aria-label="Recorded decisions, before and after"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the table where it is wider than its place
      tabIndex={0}
    >
      <table className={css.matrix}>
        <caption className="hidden-text">Recorded decisions, before and after the change</caption>
        <thead>
          <tr>
            <th scope="col">Before</th>
            {order.map((effect) => (
              <th key={effect} scope="col">
                <State {...short[effect]} />
              </th>
            ))}
            <th scope="col">
              <State {...depends} />
            </th>
          </tr>
        </thead>
        <tbody>
          {order.map((was) => (
            <tr key={was}>
              <th scope="row">
                <State {...short[was]} />
              </th>
              {order.map((is) => (
                <td key={is} className={was !== is && matrix[was][is] > 0 ? css[is] : undefined}>
                  {numberOf(matrix[was][is])}
                </td>
              ))}
              <td className={matrix[was].depends > 0 ? css.depends : undefined}>{numberOf(matrix[was].depends)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Examples({ replay, policyId, agentId }: Omit<ShownProps, 'of'>) {
  const { examples } = replay
  if (examples.length === 0) return null
  const agent: Column<Replay['examples'][number]> = {
    head: 'Agent',
    cell: (example) =>
      example.agent ? (
        <PageLink to="/decisions" search={{ ...callsOf(example, replay, policyId), agent_id: example.agent.id }}>
          <Name title={example.agent.name}>{example.agent.name}</Name>
        </PageLink>
      ) : (
        '–'
      ),
  }
  return (
    <div className={css.examples}>
      <Table
        label="Calls that would change or depend, the most frequent first"
        rows={examples}
        idOf={(row) =>
          [row.tool, row.was, row.would_be, row.mode, row.policy_version, row.rule_id, ...row.undecidable].join(' ')
        }
        columns={[
          {
            head: 'Tool',
            cell: (example) => (
              <PageLink
                to="/decisions"
                search={{ ...callsOf(example, replay, policyId), ...(agentId !== undefined && { agent_id: agentId }) }}
              >
                <ToolName tool={example.tool} />
              </PageLink>
            ),
          },
          { head: 'Change', cell: ({ was, would_be: is }) => <Change was={was} is={is} /> },
          ...(agentId === undefined ? [agent] : []),
          { head: 'Calls', cell: ({ calls }) => numberOf(calls), isNumber: true },
        ]}
      />
    </div>
  )
}

function Change({ was, is }: { was: Effect; is: Effect | null }) {
  const after = is === null ? depends : effects[is]
  return (
    <span className={css.change} title={`${effects[was].word} → ${after.word}`}>
      <span className={css[`mark-${was}`]}>
        <Glyph name={effects[was].glyph} />
      </span>
      <Glyph name="right" />
      <span className={is === null ? undefined : css[`mark-${is}`]}>
        <Glyph name={after.glyph} />
      </span>
      <span className="hidden-text">
        {effects[was].word}, would be {after.word}
      </span>
    </span>
  )
}
