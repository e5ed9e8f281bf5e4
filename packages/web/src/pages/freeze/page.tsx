import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Copy, shortId } from '../../ui/actions/copy.tsx'
import { useTextNow } from '../../ui/browser/use-now.ts'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { FilterLinks } from '../../ui/filters/filter-links.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { Unread } from '../../ui/lists/unread.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { RecordTime } from '../../ui/texts/time.tsx'
import { duration } from '../../words/times.ts'
import {
  agentsOf,
  agentsText,
  frozenThing,
  missingOf,
  personText,
  reachText,
  scopeText,
  startingEdgeText,
  stateOf,
} from '../freezes/words.ts'
import { ConfirmationChart } from './confirmation-chart.tsx'
import { EdgeTable } from './edge-table.tsx'
import { EnvironmentCells } from './environment-cells.tsx'
import css from './freeze.module.css'
import { NotAnsweringList } from './not-answering.tsx'
import { afterOf, reachOf, withinText } from './reach.ts'
import { stateOfSearch, useReceipts } from './use-receipts.ts'

const choices = [
  { name: 'All', search: {} },
  { name: 'No answer', search: { state: 'unreachable' } },
  { name: 'Waiting', search: { state: 'waiting' } },
  { name: 'Confirmed', search: { state: 'confirmed' } },
]

/** What is stopped by this freeze, and did every edge confirm? */
export function FreezePage() {
  const { id } = useParams({ from: '/inside/freezes/$id' })
  const freezeId = { freeze_id: id }
  const {
    data: freeze,
    error,
    refetch,
  } = useQuery(read('getFreeze', { path: freezeId, query: { include: 'may,names' } }))
  // A freeze that the reader does not see has no edges for the reader either.
  const enabled = freeze !== undefined
  const shown = stateOfSearch(useSearch({ from: '/inside/freezes/$id' }).state)
  const edges = useReceipts(id, { shown, enabled })
  const lift = useWrite('liftFreeze')
  const [asksLift, setAsksLift] = useState(false)
  if (!freeze)
    return (
      <Unread
        name="Freeze"
        error={error}
        onRetry={() => void refetch()}
        all={{ to: '/freezes', text: 'All freezes' }}
      />
    )
  const { drill, active } = freeze
  const person = (userId: string | null) => <Name>{personText(userId, freeze.names)}</Name>
  const first = drill
    ? `A drill for ${freeze.name}`
    : active
      ? `${frozenThing(freeze)} is frozen`
      : `The freeze of ${freeze.name} is lifted`
  const to = `/freezes/${id}`
  const { confirmed = 0 } = freeze.edges ?? {}
  const within = edges.confirmed && withinText(freeze, edges.confirmed.map(afterOf))
  const reach = {
    text: [reachText(freeze), startingEdgeText(freeze)].filter(Boolean).join('. '),
    ...(within !== undefined && { rest: within }),
    ...(confirmed > 0 && { to, search: { state: 'confirmed' } }),
  }
  const wrong = missingOf(freeze).map(({ text, state }) => ({
    text,
    tone: 'deny' as const,
    ...(state && { to, search: { state } }),
  }))
  return (
    <>
      <PageHead
        name={`Freeze: ${freeze.name}`}
        history={{ resource_type: 'freeze', resource_id: freeze.id }}
        states={
          <>
            <State {...stateOf(freeze)} />
            {active && <Lasting since={freeze.created_at} />}
          </>
        }
        actions={
          <>
            <PageLink to="/freezes" className={css.all}>
              All freezes
            </PageLink>
            {!drill && active && (
              <Button onPress={() => setAsksLift(true)} disabledBecause={whyNot(freeze, 'liftFreeze')}>
                Lift the freeze
              </Button>
            )}
          </>
        }
        sentence={<Sentence waiting={[{ text: first }]} wrong={[reach, ...wrong]} />}
        firstClause={first}
      />
      <div className={css.columns}>
        <div className={css.stack}>
          <Panel title={drill ? 'Edges that confirmed the drill' : 'Edges that confirmed the freeze'}>
            {edges.confirmed && edges.isAny && (
              <ConfirmationChart reach={reachOf(freeze, edges)} times={edges.confirmed.map(afterOf)} />
            )}
            {freeze.edges?.total === 0 && <p className={css.none}>No edge ran an agent that this freeze covers.</p>}
          </Panel>
          <EnvironmentCells rows={edges.all} total={reachOf(freeze, edges).total} />
          {freeze.edges?.total !== 0 && (
            <Panel title="Receipts" more={<span>what is missing first, then the slowest</span>}>
              {edges.isAny && (
                <div className={css.choices}>
                  <FilterLinks label="Receipts by state" to={to} choices={choices} />
                </div>
              )}
              <ListPart
                list={edges.list}
                empty={
                  shown && (
                    <Empty action={<PageLink to={to}>Show all receipts</PageLink>}>No edge is in this state.</Empty>
                  )
                }
              >
                {(rows) => (
                  <>
                    <EdgeTable edges={rows} />
                    {rows.some(({ signature }) => signature !== null) && <WhatIsSigned freezeId={id} />}
                  </>
                )}
              </ListPart>
            </Panel>
          )}
        </div>
        <div className={css.stack}>
          {active && <NotAnsweringList edges={edges.unreachable} total={freeze.edges?.unreachable ?? 0} />}
          <Panel title={drill ? 'What the drill covers' : active ? 'What is frozen' : 'What was frozen'}>
            <KeyValues
              rows={[
                ['Scope', <Name key="scope">{scopeText(freeze)}</Name>],
                [
                  'Agents',
                  freeze.agents ? (
                    <PageLink key="agents" {...agentsOf(freeze)}>
                      {agentsText(freeze)}
                    </PageLink>
                  ) : (
                    agentsText(freeze)
                  ),
                ],
                ['Waiting calls', freeze.approvals_ended ? `${freeze.approvals_ended} expired` : undefined],
                ['By', person(freeze.created_by)],
                ['Started', <RecordTime key="started" at={freeze.created_at} />],
                ['Reason', <Name key="reason">{freeze.reason}</Name>],
                [
                  'Record',
                  <Copy
                    key="record"
                    what="id of the audit entry"
                    value={freeze.audit_entry_id}
                    shown={shortId(freeze.audit_entry_id)}
                  />,
                ],
                ['Lifted', freeze.lifted_at ? <RecordTime key="lifted" at={freeze.lifted_at} /> : undefined],
                ['Lifted by', freeze.lifted_at ? person(freeze.lifted_by) : undefined],
                ['Why lifted', freeze.lift_reason ? <Name key="why">{freeze.lift_reason}</Name> : undefined],
              ]}
            />
          </Panel>
        </div>
      </div>
      {asksLift && (
        <Confirm
          title={`Lift the freeze of ${freeze.name}?`}
          verb="Lift the freeze"
          comment={{ label: 'Reason', isRequired: true }}
          act={(reason) => lift.mutateAsync({ path: freezeId, body: { reason } })}
          onClose={() => setAsksLift(false)}
        >
          <p>
            It ends for every agent that it covered. Other freezes and suspensions stay. Edges then enforce the policies
            again.
          </p>
        </Confirm>
      )}
    </>
  )
}

/** What the signatures of the receipts prove, and what a reader can check without the server. */
const WhatIsSigned = ({ freezeId }: { freezeId: string }) => (
  <p className={css.none}>
    Mandate checked each signature with the key of the edge when the confirmation arrived. The signed confirmation is
    not shown, so the signature alone cannot be checked again. What can be checked without the server is{' '}
    <PageLink to="/audit" search={{ tab: 'all', resource_type: 'freeze', resource_id: freezeId }}>
      the freeze in the audit trail
    </PageLink>
    , as a manager or an owner exports it.
  </p>
)

/** How long the freeze has been active. */
function Lasting({ since }: { since: string }) {
  const text = useTextNow((now) => duration(now - Date.parse(since)))
  return <span>for {text}</span>
}
