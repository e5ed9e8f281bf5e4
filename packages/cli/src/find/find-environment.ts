import type { Client } from '@mandate/sdk/client'
import { MandateError } from '@mandate/sdk/mandate-error'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { Failure } from '../invocation/failure.ts'
import { didYouMean } from './did-you-mean.ts'
import { onlyOne } from './find-one.ts'

export type Environments = readonly Schema<'Environment'>[]

/**
 * Like `readEnvironments`, for commands that need the environments.
 * @throws Failure that names the scope, if the key does not have it
 */
export async function allEnvironments(client: Client): Promise<Schema<'Environment'>[]> {
  const found = await readEnvironments(client)
  if (found !== undefined) return found
  const hint = 'give the key the scope environments:read too'
  throw new Failure('the command reads environments, and the scopes of this key do not include them', { hint })
}

/** Like `readEnvironments`, for commands that only show slugs. Without the scope there are none, and `slugOf` returns ids. */
export const environmentsForSlugs = async (client: Client): Promise<Environments> =>
  (await readEnvironments(client)) ?? []

/** Reads all environments that the caller can see. Returns undefined if the key does not have the scope `environments:read`. */
export async function readEnvironments(
  client: Client,
  signal?: AbortSignal,
): Promise<Schema<'Environment'>[] | undefined> {
  const found: Schema<'Environment'>[] = []
  try {
    for await (const environment of eachOf(client, 'listEnvironments', signal && { signal })) found.push(environment)
    return found
  } catch (error) {
    if (error instanceof MandateError && error.status === 403 && error.message.includes('scope')) return undefined
    throw error
  }
}

/**
 * Finds an environment by its slug, id or name.
 * @returns its id
 * @throws Failure that lists the visible environments, if there is no match
 */
export function environmentId(environments: Environments, named: string): string {
  const found = environments.find(({ id, slug }) => slug === named || id === named.toLowerCase())
  if (found) return found.id
  const byName = environments.filter(({ name }) => name === named)
  if (byName.length > 0) return onlyOne('environment', named, byName, ({ slug }) => slug).id
  const slugs = environments.map(({ slug }) => slug)
  const suggestion = didYouMean(named, slugs)
  const visible = `environments you can see: ${slugs.join(', ') || 'none'}`
  throw new Failure(`environment ${named} does not exist, or you cannot see it`, {
    hint: suggestion ? `${suggestion} ${visible}` : visible,
  })
}

/** Like `environmentId`, but reads the list of environments from the control plane first. */
export async function findEnvironment(client: Client, named: string): Promise<string> {
  return environmentId(await allEnvironments(client), named)
}

/** Returns the slug of an environment, or its id if the caller cannot see the environment. */
export function slugOf(environments: Environments, id: string): string {
  return environments.find((one) => one.id === id)?.slug ?? id
}
