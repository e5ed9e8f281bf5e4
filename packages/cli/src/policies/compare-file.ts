import { takeSnapshot } from '@mandate/policy/snapshot'
import type { Snapshot } from '@mandate/policy/types'
import { canonicalJson } from '@mandate/proofs/canonical'
import type { Client } from '@mandate/sdk/client'
import { MandateError } from '@mandate/sdk/mandate-error'
import type { Schema } from '@mandate/sdk/operation'
import { type Environments, environmentId, slugOf } from '../find/find-environment.ts'
import { Failure } from '../invocation/failure.ts'
import { snapshotOf } from './policy-content.ts'
import type { PolicyFile } from './policy-file.ts'
import { renderDiff, renderNew } from './render-diff.ts'

/** A policy file and its stored policy. */
export interface Comparison {
  file: PolicyFile
  /** Undefined if the file has no `id`, so that a push creates a policy. */
  policy: Schema<'Policy'> | undefined
  theirs: Snapshot | undefined
  ours: Snapshot
  /** True if the file and the stored policy have the same content. The order of rules in the file does not matter. */
  equal: boolean
}

/** Compares a file with its stored policy. @throws Failure if the file names an unknown policy or environment */
export async function compareFile(client: Client, file: PolicyFile, environments: Environments): Promise<Comparison> {
  const { id, environment } = file.content
  const environment_id = environment === null ? null : environmentId(environments, environment)
  const policy = id === undefined ? undefined : await policyOf(client, id, file.path)
  const theirs = policy && takeSnapshot(policy as Snapshot)
  const ours = snapshotOf(file.content, environment_id, theirs?.rules)
  return { file, policy, theirs, ours, equal: theirs !== undefined && canonicalJson(theirs) === canonicalJson(ours) }
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
