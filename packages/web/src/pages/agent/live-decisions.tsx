import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { Table } from '../../ui/lists/table.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { effects } from '../../ui/page/states.ts'
import { ForeignText } from '../../ui/texts/foreign-text.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Empty, Failed, Loading } from '../../ui/texts/notes.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { deciderOf } from '../../words/denials.ts'

const everyMs = 3000

/** The newest decisions about calls of the agent. They are read every 3 seconds, but not while the pointer or the focus is on them. */
export function LiveDecisions({ agentId, rows }: { agentId: string; rows: number }) {
  const [isHeld, setHeld] = useState(false)
  const query = read('listDecisions', { query: { agent_id: agentId, page_size: rows } })
  const { data, error, refetch } = useQuery({ ...query, refetchInterval: isHeld ? false : everyMs })
  const hold = () => setHeld(true)
  const release = () => setHeld(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing happens but that the list stays where it is
    <div onPointerEnter={hold} onPointerLeave={release} onFocus={hold} onBlur={release}>
      <Panel
        title="Live decisions"
        legend={isHeld ? 'stands still while you read' : undefined}
        more={
          <PageLink to="/decisions" search={{ agent_id: agentId }}>
            All
          </PageLink>
        }
      >
        {error && !data && <Failed error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading />}
        {data?.data.length === 0 && <Empty>No call of this agent was decided so far.</Empty>}
        {data && data.data.length > 0 && (
          <Table
            label="Live decisions"
            rows={data.data}
            idOf={({ decision_id }) => decision_id}
            columns={[
              {
                head: 'Time',
                cell: ({ decision_id, at }) => (
                  <PageLink to={`/decisions/${decision_id}`}>
                    <Time at={at} />
                  </PageLink>
                ),
              },
              { head: 'Effect', cell: ({ effect }) => <State {...effects[effect]} />, narrow: 'top' },
              {
                head: 'Tool',
                cell: ({ tool }) => (
                  <span className="mono">
                    <ForeignText text={tool} />
                  </span>
                ),
                narrow: 'start',
              },
              {
                head: 'Why',
                cell: (decision) => <Name>{deciderOf(decision)}</Name>,
                narrow: 'end',
              },
            ]}
          />
        )}
      </Panel>
    </div>
  )
}
