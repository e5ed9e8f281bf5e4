import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { onlyOne } from '../find/find-one.ts'
import { minute } from '../output/table.ts'

/** Finds a freeze by its id, or an active freeze by the name of what it stops. */
export async function freezeId(client: Client, named: string): Promise<string> {
  if (isUuid(named)) return named
  const found: Schema<'Freeze'>[] = []
  for await (const freeze of eachOf(client, 'listFreezes', { query: { active: true } })) {
    if (freeze.name === named) found.push(freeze)
  }
  return onlyOne('active freeze', named, found, ({ scope, created_at }) => `${scope}, since ${minute(created_at)} UTC`)
    .id
}
