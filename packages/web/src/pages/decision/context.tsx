import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { Copy, shortId } from '../../ui/actions/copy.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { effects } from '../../ui/page/states.ts'
import { ContentMatches } from '../../ui/texts/content-matches.tsx'
import { DelegationChain } from '../../ui/texts/delegation-chain.tsx'
import { ForeignText } from '../../ui/texts/foreign-text.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { RecordTime, Time } from '../../ui/texts/time.tsx'
import { ToolName } from '../../ui/texts/tool-name.tsx'
import { deciderOf } from '../../words/denials.ts'
import { counted } from '../../words/words.ts'
import type { Decision } from './story.ts'

const shown = 5

/** The last calls of the session before this one. */
export function SessionBefore({ decision: { session_id: session, at, decision_id: own } }: { decision: Decision }) {
  const { data } = useQuery({
    ...read('listDecisions', { query: { session_id: session ?? '', to: at, page_size: shown } }),
    enabled: session !== null,
  })
  const rows = data?.data.filter(({ decision_id: id }) => id !== own) ?? []
  if (session === null || rows.length === 0) return null
  return (
    <Panel
      title="The session before this call"
      more={
        <PageLink to="/decisions" search={{ session_id: session }}>
          {counted(data?.session?.calls ?? rows.length, 'All # call', 'All # calls', 10_000)}
        </PageLink>
      }
    >
      <Table
        label="Calls of the session"
        rows={rows}
        idOf={({ decision_id: id }) => id}
        columns={[
          {
            head: 'Time',
            cell: ({ decision_id: id, at }) => (
              <PageLink to={`/decisions/${id}`}>
                <Time at={at} />
              </PageLink>
            ),
          },
          { head: 'Effect', cell: ({ effect }) => <State {...effects[effect]} />, narrow: 'top' },
          { head: 'Tool', cell: ({ tool }) => <ToolName tool={tool} />, narrow: 'start' },
          { head: 'Why', cell: (decision) => <Name>{deciderOf(decision)}</Name>, narrow: 'end' },
        ]}
      />
    </Panel>
  )
}

/** For whom and where the agent acted. */
export function Context({ decision }: { decision: Decision }) {
  const { on_behalf_of: who, chain, session_id: session, labels, content, threat, edge, decision_id: id } = decision
  return (
    <Panel title="Context">
      <KeyValues
        rows={[
          ['On behalf of', who === null ? undefined : <ForeignText key="who" text={who} />],
          ['Delegation', chain?.length ? <DelegationChain key="chain" chain={chain} /> : undefined],
          [
            'Session',
            session === null ? undefined : (
              <PageLink key="session" to="/decisions" search={{ session_id: session }}>
                <ForeignText text={session} />
              </PageLink>
            ),
          ],
          ['Labels of the session', labels?.length ? <ForeignText key="labels" text={labels.join(', ')} /> : undefined],
          ['Content', content?.length ? <ContentMatches key="content" matches={content} /> : undefined],
          [
            'Threat',
            threat ? (
              <State
                key="threat"
                glyph="warn"
                tone="deny"
                word={
                  <>
                    <Name>{threat.type}</Name>, {threat.action === 'block' ? 'the call was stopped' : 'recorded'}
                  </>
                }
              />
            ) : undefined,
          ],
          [
            'Edge',
            edge ? (
              <PageLink key="edge" to={`/edges/${edge.id}`}>
                <Name>{edge.name ?? 'An edge'}</Name>
              </PageLink>
            ) : (
              'An edge with the key of the agent'
            ),
          ],
          ['Received', <RecordTime key="received" at={decision.received_at} />],
          ['Decision', <Copy key="id" value={id} shown={shortId(id)} what="id of the decision" />],
        ]}
      />
    </Panel>
  )
}
