import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { Failure } from '../invocation/failure.ts'
import { didYouMean } from './did-you-mean.ts'
import { onlyOne } from './find-one.ts'

export type Environments = readonly Schema<'Environment'>[]

/** Reads all environments that the caller can see. */
export async function allEnvironments(client: Client): Promise<Schema<'Environment'>[]> {
  const found: Schema<'Environment'>[] = []
  for await (const environment of eachOf(client, 'listEnvironments')) found.push(environment)
  return found
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
