import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { onlyOne } from './find-one.ts'
import { ifVisible } from './if-visible.ts'

/**
 * Finds a policy by its id, or by its name if only one visible policy has that name.
 * @returns its id
 */
export async function policyId(client: Client, named: string): Promise<string> {
  if (isUuid(named)) return named
  const found: Schema<'ListedPolicy'>[] = []
  const query = { search: named }
  for await (const policy of eachOf(client, 'listPolicies', { query })) if (policy.name === named) found.push(policy)
  const others = found.length === 0 ? (await client.call('listPolicies', { query: { limit: 200 } })).data : []
  const known = others.map(({ name }) => name)
  return onlyOne('policy', named, found, ({ version }) => `version ${version}`, known).id
}

/** Returns the name of a policy, or its id if the caller cannot see the policy. */
export async function policyName(client: Client, policy_id: string): Promise<string> {
  return (await ifVisible(client.call('getPolicy', { path: { policy_id } })))?.name ?? policy_id
}
