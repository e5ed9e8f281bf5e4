import { takeSnapshot } from '@mandate/policy/snapshot'
import type { Snapshot } from '@mandate/policy/types'
import { canonicalJson } from '@mandate/proofs/canonical'
import type { Client } from '@mandate/sdk/client'
import { MandateError } from '@mandate/sdk/mandate-error'
import type { Schema } from '@mandate/sdk/operation'
import { type Environments, slugOf } from '../find/find-environment.ts'
import { Failure } from '../invocation/failure.ts'
import { printable } from '../output/printable.ts'
import { environmentOf, knownEnvironment } from './environment-faults.ts'
import { snapshotOf, withRuleIds } from './files/policy-content.ts'
import type { PolicyFile } from './files/policy-file.ts'
import { renderDiff, renderNew } from './render-diff.ts'
import type { Stored } from './stored-policies.ts'

/** A policy file and its stored policy. */
export interface Comparison {
  file: PolicyFile
  /** Undefined if the file has no `id` and no policy has its name and environment, so that a push creates a policy. */
  policy: Schema<'Policy'> | undefined
  /** True if the file has no `id` and the policy has the file's name and environment. */
  foundByName: boolean
  theirs: Snapshot | undefined
  ours: Snapshot
  /** True if the file and the stored policy have the same content. The order of rules in the file does not matter. */
  equal: boolean
}

/**
 * Compares a file with its stored policy.
 * @throws Failure if the file names an unknown policy or environment, or has no id and several policies have its name
 */
export async function compareFile(client: Client, file: PolicyFile, stored: Stored): Promise<Comparison> {
  const { id, name } = file.content
  const named = environmentOf(file)
  const environment_id = named ? knownEnvironment(named, stored.environments) : null
  const found = id ?? onlyId(file, await stored.named(name, environment_id))
  const policy = found === undefined ? undefined : await policyOf(client, found, file.path)
  const theirs = policy && takeSnapshot(policy as Snapshot)
  const content = withRuleIds(file.content, theirs?.rules ?? [])
  const ours = snapshotOf(content, environment_id, theirs?.rules)
  const equal = theirs !== undefined && canonicalJson(theirs) === canonicalJson(ours)
  return {
    file: { ...file, content },
    policy,
    foundByName: id === undefined && policy !== undefined,
    theirs,
    ours,
    equal,
  }
}

function onlyId({ path, content }: PolicyFile, ids: readonly string[]): string | undefined {
  if (ids.length <= 1) return ids[0]
  throw new Failure(
    `${path} has no id, and ${ids.length} policies have the name ${printable(content.name)} in its environment: ${ids.join(', ')}`,
    { hint: 'write the id of one of them into the file, as its first line: id: …' },
  )
}

async function policyOf(client: Client, policy_id: string, path: string): Promise<Schema<'Policy'>> {
  try {
    return await client.call('getPolicy', { path: { policy_id } })
  } catch (error) {
    if (!(error instanceof MandateError) || error.status !== 404) throw error
    throw new Failure(`${path}: policy ${policy_id} does not exist, or you cannot see it`, {
      hint: 'to create a new policy, remove `id` and `version` from the file',
    })
  }
}

/** Describes what a push would change, as lines for a terminal. Empty if nothing differs. */
export function comparisonLines({ file, theirs, ours }: Comparison, environments: Environments): string[] {
  const lines = theirs
    ? renderDiff(theirs, ours, (id) => slugOf(environments, id))
    : renderNew(ours, file.content.environment)
  if (lines.length === 0) return []
  return [theirs ? file.path : `${file.path}: a new policy`, ...lines.map((line) => `  ${line}`)]
}
