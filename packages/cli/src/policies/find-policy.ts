import type { Client } from '@mandate/sdk/client'
import { MandateError } from '@mandate/sdk/mandate-error'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { onlyOne } from '../find-one.ts'
import { isUuid } from '../is-uuid.ts'

/** The id of a policy that is named by its id, or by its name where only one that the caller sees has it. */
export async function policyId(client: Client, named: string): Promise<string> {
  if (isUuid(named)) return named
  const found: Schema<'Policy'>[] = []
  for await (const policy of eachOf(client, 'listPolicies')) if (policy.name === named) found.push(policy)
  return onlyOne('policy', named, found, ({ version }) => `version ${version}`).id
}

/** The name of a policy; its id if the caller cannot see it. */
export async function policyName(client: Client, policy_id: string): Promise<string> {
  try {
    return (await client.call('getPolicy', { path: { policy_id } })).name
  } catch (error) {
    if (error instanceof MandateError && (error.status === 403 || error.status === 404)) return policy_id
    throw error
  }
}
