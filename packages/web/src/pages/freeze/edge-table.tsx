import type { Schema } from '@mandate/sdk'
import { Copy } from '../../ui/actions/copy.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { State, type StateLook } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { missingFirst } from './reach.ts'

export type FreezeEdge = Schema<'FreezeEdge'>

const looks: Record<FreezeEdge['state'], StateLook> = {
  confirmed: { glyph: 'approved', word: 'Confirmed', tone: 'proof' },
  waiting: { glyph: 'clock', word: 'Waiting', tone: 'hold' },
  unreachable: { glyph: 'lost', word: 'No answer', tone: 'deny' },
}

/** The edge, or the agent whose own key the instance uses. */
export function InstanceName({ edge, agent, instance_id: instance }: FreezeEdge) {
  if (edge)
    return (
      <PageLink to={`/edges/${edge.id}`}>
        <Name>{edge.name}</Name>
      </PageLink>
    )
  if (agent)
    return (
      <PageLink to={`/agents/${agent.id}`}>
        <Name>{agent.name}</Name>
      </PageLink>
    )
  return <Name>{instance}</Name>
}

/** Two edges may have instances of the same name. */
export const instanceKey = ({ edge, agent, instance_id: instance }: FreezeEdge) =>
  `${edge?.id ?? agent?.id} ${instance}`

export const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`

/** What each running instance confirmed, with its signed record. */
export function EdgeTable({ edges }: { edges: readonly FreezeEdge[] }) {
  return (
    <Table
      label="Receipts"
      rows={edges.toSorted(missingFirst)}
      idOf={instanceKey}
      columns={[
        { head: 'Edge', cell: (row) => <InstanceName {...row} /> },
        { head: 'State', cell: ({ state }) => <State {...looks[state]} />, narrow: 'top' },
        {
          head: 'After',
          cell: ({ after_ms: after }) => (after === null ? '–' : seconds(after)),
          isNumber: true,
          narrow: 'end',
        },
        { head: 'Signed record', cell: (row) => <Receipt {...row} />, narrow: 'start' },
      ]}
    />
  )
}

function Receipt({ state, signature, last_heartbeat_at: heard }: FreezeEdge) {
  if (signature !== null)
    return <Copy value={signature} shown={`${signature.slice(0, 8)}…${signature.slice(-4)}`} what="signature" />
  if (state === 'confirmed') return <State glyph="proposed" word="Unsigned" tone="off" />
  return heard === null ? (
    'no heartbeat in the last day'
  ) : (
    <>
      last heartbeat <Time at={heard} />
    </>
  )
}
