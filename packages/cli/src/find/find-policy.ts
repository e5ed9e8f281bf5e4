import { isUuid } from '@mandate/contract/fields/is-uuid'
import { isSameName } from '@mandate/contract/fields/name-key'
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
  const likely = await policiesNamed(client, named, { search: named })
  // The search does not find another Unicode form of the name, or a name with characters that nobody sees.
  const { found, known } = likely.found.length > 0 ? likely : await policiesNamed(client, named)
  return onlyOne('policy', named, found, ({ version }) => `version ${version}`, known).id
}

async function policiesNamed(client: Client, named: string, query: { search?: string } = {}) {
  const found: Schema<'ListedPolicy'>[] = []
  const known: string[] = []
  for await (const policy of eachOf(client, 'listPolicies', { query })) {
    known.push(policy.name)
    if (isSameName(policy.name, named)) found.push(policy)
  }
  return { found, known }
}

/** Returns the name of a policy, or its id if the caller cannot see the policy. */
export async function policyName(client: Client, policy_id: string): Promise<string> {
  return (await ifVisible(client.call('getPolicy', { path: { policy_id } })))?.name ?? policy_id
}
