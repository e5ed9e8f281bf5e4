import type { Tx } from '../../../db/database.ts'
import { deleteInventory } from '../inventory-queries.ts'

/** Deletes the tools of an environment that is deleted. The environment is locked. */
export async function deleteToolsIn(tx: Tx, environmentId: string): Promise<void> {
  await deleteInventory(tx, environmentId)
}
