import type { Sql } from '../../../db/database.ts'
import { listedAtMost } from '../snapshot/report-json.ts'
import {
  batchSize,
  countAgents,
  type Gathered,
  gatherAgents,
  gatherPolicies,
  type Named,
  type Scope,
} from '../snapshot/snapshot-queries.ts'

const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const agentLists = ['agents', 'approvals', 'drift', 'coverage', 'findings', 'decisions', 'events'] as const

/**
 * A snapshot as JSON text, and its counts. The lists in the JSON are written batch by batch, because writing all of it at once
 * would block the event loop.
 */
export interface WrittenSnapshot {
  text: string
  counts: Gathered['counts']
}

/**
 * Gathers the content of a report in batches of 1,000 agents, and then in batches of 1,000 policies. `db` must read from one
 * database snapshot (`Database.readSnapshot`), so that all batches show the same state. `onProgress` gets the completed share,
 * 0 to 1. If `onProgress` throws, the work stops.
 */
export async function gatherInBatches(
  db: Sql,
  scope: Scope,
  named: Named,
  onProgress: (share: number) => void,
): Promise<WrittenSnapshot> {
  const total = await countAgents(db, scope)
  const counts: Gathered['counts'] = {
    agents: 0,
    policies: 0,
    approvals: 0,
    drift: 0,
    coverage: {},
    findings: 0,
    decisions: { allow: 0, deny: 0, require_approval: 0 },
    events: 0,
  }
  const lists = Object.fromEntries(agentLists.map((name) => [name, [] as Listed[]])) as Record<
    (typeof agentLists)[number],
    Listed[]
  >
  let passed = 0
  for (let before: string | null = highestId; before !== null; ) {
    const batch = await gatherAgents(db, scope, before)
    add(counts, batch.counts)
    for (const name of agentLists) lists[name] = merge(lists[name], batch[name])
    passed += batchSize
    before = batch.last_id
    onProgress(Math.min(passed / Math.max(total, 1), 1))
  }
  const policies = await writePolicies(db, scope, counts)
  const written = agentLists.map((name) => `,"${name}":[${lists[name].map(({ text }) => text).join(',')}]`)
  const text = `${JSON.stringify({ ...named, counts }).slice(0, -1)},"policies":[${policies.join(',')}]${written.join('')}}`
  return { text, counts }
}

interface Listed {
  id: string
  text: string
}

type Item = { id: string } | { agent_id: string }

/** Merges two lists and keeps the newest entries, newest first. */
function merge(listed: Listed[], items: readonly Item[]): Listed[] {
  const isFull = listed.length === listedAtMost
  const oldest = listed.at(-1)?.id ?? ''
  const more = items.map((item) => ({ item, id: 'id' in item ? item.id : item.agent_id }))
  const wanted = isFull ? more.filter(({ id }) => id > oldest) : more
  if (wanted.length === 0) return listed
  const all = [...listed, ...wanted.map(({ item, id }) => ({ id, text: JSON.stringify(item) }))]
  return all.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, listedAtMost)
}

function add(counts: Gathered['counts'], more: Omit<Gathered['counts'], 'policies'>): void {
  for (const name of ['agents', 'approvals', 'drift', 'findings', 'events'] as const) counts[name] += more[name]
  for (const effect of ['allow', 'deny', 'require_approval'] as const)
    counts.decisions[effect] += more.decisions[effect]
  for (const [state, count] of Object.entries(more.coverage)) {
    counts.coverage[state] = (counts.coverage[state] ?? 0) + count
  }
}

async function writePolicies(db: Sql, scope: Scope, counts: Gathered['counts']): Promise<string[]> {
  const written: string[] = []
  for (let before = highestId; ; ) {
    const policies = await gatherPolicies(db, scope, before)
    counts.policies += policies.length
    written.push(...policies.map((policy) => JSON.stringify(policy)))
    const last = policies.at(-1)
    if (!last || policies.length < batchSize) return written.slice(0, listedAtMost)
    before = last.id
  }
}
