import { useList } from '../../api/use-list.ts'
import { heartbeatsMs } from '../../live/heartbeats.ts'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { stateOf, versionWords } from './words.ts'

interface OwnKeyEdgesProps {
  silent: string | undefined
  environmentId: string | undefined
}

/** The running edges that have no key of their own: each uses the key of its agent. */
export function OwnKeyEdges({ silent, environmentId }: OwnKeyEdgesProps) {
  const list = useList(
    'listEdgeInstances',
    {
      query: {
        credential: 'agent',
        limit: 100,
        ...(silent && { silent: silent === 'true' }),
        ...(environmentId && { environment_id: environmentId }),
      },
    },
    { keyOf: ({ agent, instance_id: id }) => `${agent?.id} ${id}`, againMs: heartbeatsMs },
  )
  if (!list.rows?.length && !list.error) return null
  return (
    <Panel title="Edges with the key of an agent">
      <ListPart list={list} empty={null}>
        {(rows) => (
          <Table
            label="Edges with the key of an agent, silent ones first"
            rows={rows}
            idOf={({ agent, instance_id: id }) => `${agent?.id} ${id}`}
            columns={[
              {
                head: 'Agent',
                cell: ({ agent }) =>
                  agent && (
                    <PageLink to={`/agents/${agent.id}`}>
                      <Name>{agent.name}</Name>
                    </PageLink>
                  ),
              },
              { head: 'State', cell: (instance) => <State {...stateOf(instance)} />, narrow: 'start' },
              { head: 'Last heartbeat', cell: ({ last_heartbeat_at: at }) => <Time at={at} />, narrow: 'end' },
              { head: 'Version', cell: versionWords },
              { head: 'Instance', cell: ({ instance_id: id }) => <Name className="mono">{id}</Name> },
            ]}
          />
        )}
      </ListPart>
    </Panel>
  )
}
