import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { allEnvironments, type Environments } from '../find/find-environment.ts'
import { isSameName } from './files/distinct-files.ts'

/** The environments and policies of the control plane, for files without an id. */
export interface Stored {
  environments: Environments
  /** Returns the ids of the policies with this name in this environment, and that no file has as its `id`. */
  named(name: string, environmentId: string | null): Promise<string[]>
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
