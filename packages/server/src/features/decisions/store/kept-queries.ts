import type { DecisionRecord } from '@mandate/contract/edge'
import type { KeptArguments } from '@mandate/contract/kept-arguments'
import type { Snapshot } from '@mandate/policy/types'
import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'

/** Returns those of the environments that keep arguments. */
export async function findKeepingEnvironments(db: Sql, ids: readonly string[]): Promise<Set<string>> {
  const text = 'select id from environments where tenant_id = $1 and id = any($2::uuid[]) and keep_arguments_for_replay'
  return new Set((await db.all(raw<{ id: string }>(text, [db.tenantId, ids]))).map(({ id }) => id))
}

type Named = Pick<DecisionRecord, 'policy_id' | 'policy_version' | 'policy_hash'>

interface VersionRow {
  policy_id: string
  policy_version: number
  policy_hash: string
  snapshot: Snapshot
}

/** Returns policy versions with their content. Leaves out versions that do not exist, or whose content hash is another one. */
export function findVersions(db: Sql, named: readonly Named[]): Promise<VersionRow[]> {
  if (named.length === 0) return Promise.resolve([])
  const text = `
    select v.policy_id, v.version as policy_version, v.content_hash as policy_hash, v.snapshot
    from unnest($2::uuid[], $3::int[], $4::text[]) as n (policy_id, version, content_hash)
    join policy_versions v on v.tenant_id = $1 and v.policy_id = n.policy_id and v.version = n.version and v.content_hash = n.content_hash`
  const column = <K extends keyof Named>(name: K) => named.map((one) => one[name] ?? null)
  const values = [db.tenantId, column('policy_id'), column('policy_version'), column('policy_hash')]
  return db.all(raw<VersionRow>(text, values))
}

interface NewArguments {
  record: DecisionRecord
  filedAt: string
  environmentId: string
  kindId: string
  arguments: Omit<KeptArguments, 'decision_id'>
}

export async function insertArguments(tx: Tx, rows: readonly NewArguments[], retentionDays: number): Promise<void> {
  if (rows.length === 0) return
  const text = `
    insert into decision_arguments (tenant_id, retention_days, decision_id, filed_at, at, kind_id, agent_id, environment_id, arguments)
    select $1, $2, n.decision_id, n.filed_at, n.at, n.kind_id, n.agent_id, n.environment_id, n.arguments
    from unnest($3::uuid[], $4::timestamptz[], $5::timestamptz[], $6::uuid[], $7::uuid[], $8::uuid[], $9::jsonb[])
      as n (decision_id, filed_at, at, kind_id, agent_id, environment_id, arguments)
    order by n.decision_id
    on conflict (tenant_id, decision_id) do nothing`
  await tx.all(
    raw(text, [
      tx.tenantId,
      retentionDays,
      rows.map(({ record }) => record.decision_id),
      rows.map(({ filedAt }) => filedAt),
      rows.map(({ record }) => record.at),
      rows.map(({ kindId }) => kindId),
      rows.map(({ record }) => record.agent_id),
      rows.map(({ environmentId }) => environmentId),
      rows.map((row) => JSON.stringify(row.arguments)),
    ]),
  )
}
