import type { Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'

export interface Labelled {
  tool: string
  labels: string[]
  /** True if people set the labels. */
  byPeople: boolean
}

/** Returns the labels of tools of a locked inventory. Tools that it does not know are left out. */
export function findLabels(tx: Tx, environmentId: string, tools: readonly string[]) {
  const text = `select tool, labels, labels_by_people as "byPeople" from tools
    where tenant_id = $1 and environment_id = $2 and tool = any($3::text[])`
  return tx.all(raw<Labelled>(text, [tx.tenantId, environmentId, tools]))
}

const store = `update tools t set labels = string_to_array(n.labels, ','), changed_in = $3
  from unnest($4::text[], $5::text[]) as n (tool, labels) where t.tenant_id = $1 and t.environment_id = $2 and t.tool = n.tool`

/** Stores labels that reports added, and the version of the inventory in which they did. The tools are locked. */
export async function storeLabels(
  tx: Tx,
  environmentId: string,
  version: number,
  tools: readonly { tool: string; labels: readonly string[] }[],
): Promise<void> {
  const columns = [tools.map(({ tool }) => tool), tools.map(({ labels }) => labels.join(','))]
  await tx.all(raw(store, [tx.tenantId, environmentId, version, ...columns]))
}
