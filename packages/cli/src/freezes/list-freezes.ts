import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { type ListOptions, showList } from '../output/show.ts'
import { type Column, minute } from '../output/table.ts'
import { freezeId } from './find-freeze.ts'

type Freeze = Schema<'Freeze'>
type FreezeEdge = Schema<'FreezeEdge'>

export async function listFreezes({ active, over, ...output }: ListOptions & { active?: true; over?: true }) {
  const { client } = await connect()
  const query = active || over ? { active: active === true } : {}
  await showList(eachOf(client, 'listFreezes', { query }), output, freezeColumns, 'No freezes.')
}

export async function listFreezeEdges(
  named: string,
  { state, ...output }: ListOptions & { state?: FreezeEdge['state'] },
): Promise<void> {
  const { client } = await connect()
  const freeze_id = await freezeId(client, named)
  const edges = eachOf(client, 'listFreezeEdges', { path: { freeze_id }, query: { state } })
  await showList(edges, output, edgeColumns, 'No edges.')
}

export function stateOf({ drill, active }: Freeze): string {
  if (drill) return 'drill'
  return active ? 'active' : 'lifted'
}

export function reachOf({ edges }: Freeze): string | undefined {
  if (edges === null) return undefined
  const { total, confirmed, unreachable } = edges
  return `${confirmed} of ${total} confirmed${unreachable > 0 ? `, ${unreachable} unreachable` : ''}`
}

const freezeColumns: Column<Freeze>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'SCOPE', value: ({ scope }) => scope },
  { title: 'STATE', value: stateOf, color: ({ active }) => (active ? 'red' : undefined) },
  { title: 'CREATED_AT (UTC)', value: ({ created_at }) => minute(created_at) },
  { title: 'AGENTS', value: ({ agents }) => agents },
  { title: 'EDGES', value: reachOf },
  { title: 'ID', value: ({ id }) => id },
]

export const secondsOf = (ms: number | null) => (ms === null ? undefined : `${(ms / 1000).toFixed(1)} s`)

const colors = { confirmed: 'green', waiting: 'yellow', unreachable: 'red' } as const

const edgeColumns: Column<FreezeEdge>[] = [
  { title: 'EDGE', value: ({ edge, agent }) => edge?.name ?? agent?.name },
  { title: 'ENVIRONMENT', value: ({ environment }) => environment?.slug },
  { title: 'STATE', value: ({ state }) => state, color: ({ state }) => colors[state] },
  { title: 'AFTER', value: ({ after_ms }) => secondsOf(after_ms) },
  { title: 'LAST_HEARTBEAT_AT (UTC)', value: ({ last_heartbeat_at }) => minute(last_heartbeat_at) },
  { title: 'AGENTS', value: ({ agents }) => agents },
  { title: 'SIGNED', value: ({ state, kid }) => (state === 'confirmed' ? (kid ?? 'no') : undefined) },
  { title: 'INSTANCE_ID', value: ({ instance_id }) => instance_id },
]
