import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { Failure } from '../failure.ts'
import { onlyOne } from '../find-one.ts'

export type Environments = readonly Schema<'Environment'>[]

/** The environments that the caller sees. */
export async function allEnvironments(client: Client): Promise<Schema<'Environment'>[]> {
  const found: Schema<'Environment'>[] = []
  for await (const environment of eachOf(client, 'listEnvironments')) found.push(environment)
  return found
}

/** The id of an environment that is named by its slug, its id or its name. @throws Failure naming those there are */
export function environmentId(environments: Environments, named: string): string {
  const found = environments.find(({ id, slug }) => slug === named || id === named.toLowerCase())
  if (found) return found.id
  const byName = environments.filter(({ name }) => name === named)
  if (byName.length > 0) return onlyOne('environment', named, byName, ({ slug }) => slug).id
  const slugs = environments.map(({ slug }) => slug).join(', ')
  throw new Failure(`there is no environment ${named}, or none that you can see`, {
    hint: `there are: ${slugs || 'none'}`,
  })
}

/** The same where the environments are not known yet. */
export async function findEnvironment(client: Client, named: string): Promise<string> {
  return environmentId(await allEnvironments(client), named)
}

/** The slug of an environment; its id where the caller does not see it. */
export function slugOf(environments: Environments, id: string): string {
  return environments.find((one) => one.id === id)?.slug ?? id
}
