import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { Failure, usageFailure } from '../failure.ts'
import { isUuid } from '../is-uuid.ts'

/** The id of a policy that is named by its id, or by its name where only one that the caller sees has it. */
export async function policyId(client: Client, named: string): Promise<string> {
  if (isUuid(named)) return named
  const found: Schema<'Policy'>[] = []
  for await (const policy of eachOf(client, 'listPolicies')) if (policy.name === named) found.push(policy)
  const [only, another] = found
  if (!only) throw new Failure(`there is no policy ${named}, or none that you can see`)
  if (another)
    throw usageFailure(`${found.length} policies are called ${named}`, found.map(({ id }) => id).join('\n  '))
  return only.id
}
