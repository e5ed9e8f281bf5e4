import type { Client } from '@mandate/sdk/client'
import { MandateError } from '@mandate/sdk/mandate-error'
import type { Schema } from '@mandate/sdk/operation'
import { connect } from '../connection/connect.ts'
import { allEnvironments, type Environments, slugOf } from '../environments/find-environment.ts'
import { Failure } from '../failure.ts'
import { dataFormat, type OutputOptions, printData } from '../output/format.ts'
import { note } from '../output/note.ts'
import { print } from '../print.ts'
import { type Comparison, compareFile, comparisonLines } from './compare-file.ts'
import { type PolicyFile, readPolicyFile, writeWhole } from './policy-file.ts'
import { policyPaths } from './policy-paths.ts'
import { textOf, updateTree } from './policy-tree.ts'

export interface PushOptions extends OutputOptions {
  dryRun?: boolean
  overwrite?: boolean
}

/**
 * Saves files as their policies, each as one version. A file that is older than its policy is refused, and then nothing is saved: all
 * files are read, judged and compared before the first is written.
 */
export async function pushPolicies(given: string[], { dryRun = false, overwrite = false, ...output }: PushOptions) {
  const format = dataFormat(output)
  const results: object[] = []
  const files: PolicyFile[] = []
  for (const path of await policyPaths(given)) files.push(await readPolicyFile(path))
  for (const warning of files.flatMap(({ warnings }) => warnings)) note(`warning: ${warning}`)
  const { client } = await connect()
  const environments = await allEnvironments(client)
  const comparisons: Comparison[] = []
  for (const file of files) comparisons.push(await compareFile(client, file, environments))
  if (!overwrite) for (const one of comparisons) await requireCurrent(client, one)
  try {
    for (const comparison of comparisons) {
      const { file, policy, equal } = comparison
      if (!format) for (const line of comparisonLines(comparison, environments)) print(line)
      const result = dryRun ? undefined : equal ? policy! : await save(client, comparison)
      // Written at once: what has been saved must not be forgotten when a later file fails.
      if (result) await writeBack(file, result, environments)
      results.push(resultOf(comparison, result, dryRun))
      if (format === undefined) tell(comparison, result)
    }
  } finally {
    // What was saved is told even if a later file fails.
    if (format) printData(results, format, output)
  }
}

const statusOf = ({ policy, equal }: Comparison) => (equal ? 'unchanged' : policy ? 'updated' : 'created')

function resultOf(comparison: Comparison, saved: Schema<'Policy'> | undefined, dry_run: boolean) {
  const { id, version } = saved ?? comparison.policy ?? { id: null, version: null }
  return { file: comparison.file.path, policy_id: id, status: statusOf(comparison), version, dry_run }
}

function tell(comparison: Comparison, saved: Schema<'Policy'> | undefined): void {
  const { path } = comparison.file
  const status = statusOf(comparison)
  if (saved) note(`${path}: ${status}, version ${saved.version}`)
  else note(`${path}: ${comparison.equal ? status : `would be ${status}`}`)
}

/** @throws Failure telling who has saved since, when the policy has moved on from the version the file is based on */
async function requireCurrent(client: Client, { file, policy, equal }: Comparison): Promise<void> {
  const based = file.content.version
  if (!policy || equal || based === policy.version) return
  const path = { policy_id: policy.id, version: policy.version }
  const { saved_by, saved_at } = await client.call('getPolicyVersion', { path })
  const who = saved_by.display_name || saved_by.email || 'the service'
  const base = based === undefined ? 'names no version' : `is based on version ${based}`
  throw new Failure(
    `${file.path} ${base}, and the policy is at version ${policy.version}, saved by ${who} at ${saved_at}`,
    {
      hint: [
        `mandate policies diff ${file.path}              shows what differs`,
        `mandate policies pull ${file.path} --force      takes the control plane’s version`,
        `mandate policies push ${file.path} --overwrite  puts the file in its place`,
      ].join('\n  '),
    },
  )
}

/** Saves over the very version that was compared: whoever saves in between is not overwritten. */
async function save(client: Client, { file, policy, ours }: Comparison): Promise<Schema<'Policy'>> {
  const { id: _, version: __, environment: ___, ...content } = file.content
  const body = { ...content, environment_id: ours.environment_id }
  if (!policy) return await client.call('createPolicy', { body })
  try {
    return await client.call('replacePolicy', { path: { policy_id: policy.id }, body, ifMatch: policy.version })
  } catch (error) {
    if (!(error instanceof MandateError) || error.status !== 412) throw error
    throw new Failure(`${file.path}: someone saved the policy a moment ago; nothing was saved`, {
      hint: `mandate policies diff ${file.path} shows what differs now`,
    })
  }
}

async function writeBack(file: PolicyFile, policy: Schema<'Policy'>, environments: Environments): Promise<void> {
  const environment = policy.environment_id === null ? null : slugOf(environments, policy.environment_id)
  if (updateTree(file.tree, policy, environment)) await writeWhole(file.path, textOf(file.tree))
}
