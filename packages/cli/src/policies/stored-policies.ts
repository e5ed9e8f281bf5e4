import { isSameName } from '@mandate/contract/fields/name-key'
import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { allEnvironments, type Environments } from '../find/find-environment.ts'
import type { AllFailures } from './all-failures.ts'
import type { PolicyFile } from './files/policy-file.ts'

/** The environments and policies of the control plane, for files without an id. */
export interface Stored {
  environments: Environments
  /** Returns the ids of the policies with this name in this environment, and that no file has as its `id`. */
  named(name: string, environmentId: string | null): Promise<string[]>
}

/** Connects, and reads what is stored for the files. @throws Failure with the errors of the files, if there are any and it cannot connect */
export async function connectFor(
  files: readonly PolicyFile[],
  failures: AllFailures,
): Promise<{ client: Client; stored: Stored }> {
  try {
    const { client } = await connect()
    const ids = files.map(({ content }) => content.id)
    return { client, stored: await readStored(client, ids) }
  } catch (error) {
    failures.throwAny()
    throw error
  }
}

/** @param taken ids in files: such a policy belongs to its file, even if that file renames it */
export async function readStored(client: Client, taken: Iterable<string | undefined> = []): Promise<Stored> {
  const own = new Set(taken)
  const environments = await allEnvironments(client)
  let policies: Promise<Schema<'ListedPolicy'>[]> | undefined
  return {
    environments,
    async named(name, environmentId) {
      // One list for all files. Most pushes need none, because their files have ids.
      policies ??= allPolicies(client)
      const found = (await policies).filter((one) => isSameName(one.name, name) && one.environment_id === environmentId)
      return found.map(({ id }) => id).filter((id) => !own.has(id))
    },
  }
}

async function allPolicies(client: Client): Promise<Schema<'ListedPolicy'>[]> {
  const found: Schema<'ListedPolicy'>[] = []
  for await (const policy of eachOf(client, 'listPolicies')) found.push(policy)
  return found
}
