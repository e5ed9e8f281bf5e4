import { shortDigest } from '../../ui/actions/copy.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { pinOf } from './definition.tsx'
import css from './tool.module.css'
import type { Tool } from './words.ts'

/** Which edges and agents see the tool at its server, and with which definition. */
export function Declarations({ tool: { id, declared_by: declared } }: { tool: Tool }) {
  return (
    <Panel
      title="Declared by"
      legend={<span className={css.note}>in the last 24 hours, definitions without a pin first</span>}
    >
      {declared.length === 0 ? (
        <p className={css.note}>No edge has declared the tool in the last 24 hours.</p>
      ) : (
        <Table
          label="Edges and agents that declare the tool"
          rows={declared}
          idOf={({ edge, agent, hash }) => `${edge?.id} ${agent?.id} ${hash}`}
          columns={[
            {
              head: 'Edge',
              cell: ({ edge }) =>
                edge ? (
                  <PageLink to={`/edges/${edge.id}`}>
                    <Name>{edge.name}</Name>
                  </PageLink>
                ) : (
                  'own key of the agent'
                ),
            },
            {
              head: 'For',
              narrow: 'top',
              cell: ({ agent }) =>
                agent ? (
                  <PageLink to={`/agents/${agent.id}`}>
                    <Name>{agent.name}</Name>
                  </PageLink>
                ) : (
                  'all its agents'
                ),
            },
            {
              head: 'Definition',
              cell: ({ hash }) => (
                <PageLink to={`/tools/${id}`} search={{ definition: hash.slice(0, 12) }}>
                  <span className="mono">{shortDigest(hash)}</span>
                </PageLink>
              ),
            },
            { head: 'Pin', cell: ({ pinned }) => <State {...pinOf(pinned)} />, narrow: 'start' },
            { head: 'Last declared', cell: ({ reported_at: at }) => <Time at={at} />, narrow: 'end' },
          ]}
        />
      )}
    </Panel>
  )
}
