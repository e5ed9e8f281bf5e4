import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { type ListOptions, showList } from '../output/show.ts'
import type { Column } from '../output/table.ts'
import { type AuditFilterOptions, auditQuery } from './audit-filters.ts'

/** Lists audit entries, newest first. */
export async function listEntries({ limit, json, output, query, ...filters }: ListOptions & AuditFilterOptions) {
  const { client } = await connect()
  const entries = eachOf(client, 'listAuditEntries', { query: await auditQuery(client, filters) })
  await showList(entries, { limit, json, output, query }, columns, 'No entries match.')
}

const columns: Column<Schema<'AuditEntry'>>[] = [
  { title: 'CREATED_AT (UTC)', value: ({ created_at }) => created_at.slice(0, 19).replace('T', ' ') },
  { title: 'EVENT_TYPE', value: ({ event_type }) => event_type },
  {
    title: 'OUTCOME',
    value: ({ outcome }) => outcome,
    color: ({ outcome }) => (outcome === 'success' ? undefined : 'red'),
  },
  { title: 'ACTOR', value: ({ actor }) => actor.name || actor.email || actor.type },
  { title: 'RESOURCE', value: ({ resource }) => resource.name || resource.id || resource.type },
  { title: 'DETAILS', value: ({ details }) => (Object.keys(details).length > 0 ? JSON.stringify(details) : undefined) },
]
