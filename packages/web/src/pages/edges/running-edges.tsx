import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Schema } from '@mandate/sdk'
import { useList } from '../../api/use-list.ts'
import { heartbeatsMs } from '../../live/heartbeats.ts'
import { Copy, shortId } from '../../ui/actions/copy.tsx'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { stateOf, versionWords } from './words.ts'

interface RunningEdgesProps {
  /** Whose keys the running edges use: those of agents, or edge keys. */
  credential: 'agent' | 'edge'
  title: string
  silent: string | undefined
  environmentId: string | undefined
}

/** The running edges with keys of a kind. */
export function RunningEdges({ credential, title, silent, environmentId }: RunningEdgesProps) {
  const list = useList(
    'listEdgeInstances',
    {
      query: {
        credential,
        limit: 100,
        ...(silent && { silent: silent === 'true' }),
        ...(environmentId && { environment_id: environmentId }),
      },
    },
    { keyOf, againMs: heartbeatsMs },
  )
  if (!list.rows?.length && !list.error) return null
  return (
    <Panel title={title}>
      <ListPart list={list} empty={null}>
        {(rows) => (
          <Table
            label={`${title}, silent ones first`}
            rows={rows}
            idOf={keyOf}
            columns={[
              {
                head: credential === 'agent' ? 'Agent' : 'Edge',
                cell: ({ agent, edge }) => (
                  <>
                    {agent && (
                      <PageLink to={`/agents/${agent.id}`}>
                        <Name>{agent.name}</Name>
                      </PageLink>
                    )}
                    {edge && (
                      <PageLink to={`/edges/${edge.id}`}>
                        <Name>{edge.name}</Name>
                      </PageLink>
                    )}
                  </>
                ),
              },
              { head: 'State', cell: (instance) => <State {...stateOf(instance)} />, narrow: 'start' },
              { head: 'Last heartbeat', cell: ({ last_heartbeat_at: at }) => <Time at={at} />, narrow: 'end' },
              { head: 'Version', cell: versionWords },
              {
                head: 'Instance',
                cell: ({ instance_id: id }) => (
                  <Copy what="id of the instance" value={id} shown={isUuid(id) ? shortId(id) : id} />
                ),
              },
            ]}
          />
        )}
      </ListPart>
    </Panel>
  )
}

const keyOf = ({ agent, edge, instance_id: id }: Schema<'EdgeInstance'>) => `${(agent ?? edge)?.id} ${id}`
