import { isSameName } from '@mandate/contract/fields/name-key'
import { fileFault } from '@mandate/edge/file-fault'
import type { Client } from '@mandate/sdk/client'
import { MandateError } from '@mandate/sdk/mandate-error'
import type { Schema } from '@mandate/sdk/operation'
import { type Environments, slugOf } from '../find/find-environment.ts'
import { Failure } from '../invocation/failure.ts'
import { dataFormat, type OutputOptions, printData } from '../output/format.ts'
import { note } from '../output/note.ts'
import { print } from '../output/print.ts'
import { AllFailures } from './all-failures.ts'
import { type Comparison, compareFile, comparisonLines } from './compare-file.ts'
import { addUnknownEnvironments } from './environment-faults.ts'
import { sameIdFaults, sameNameFaults, withId } from './files/distinct-files.ts'
import { type PolicyFile, readPolicyFile, writeWhole } from './files/policy-file.ts'
import { policyPaths } from './files/policy-paths.ts'
import { updatedText } from './files/policy-tree.ts'
import { connectFor, type Stored } from './stored-policies.ts'

export interface PushOptions extends OutputOptions {
  dryRun?: boolean
  overwrite?: boolean
}

/**
 * Saves each file as one new version of its policy. Reads, validates and compares all files before it saves the first, so that an
 * invalid or outdated file prevents every save.
 */
export async function pushPolicies(given: string[], { dryRun = false, overwrite = false, ...output }: PushOptions) {
  const format = dataFormat(output)
  const results: object[] = []
  const failures = new AllFailures()
  const files = await failures.of(await policyPaths(given), readPolicyFile)
  for (const warning of files.flatMap(({ warnings }) => warnings)) note(`warning: ${warning}`)
  failures.add(sameIdFaults(files.map(withId)))
  const { client, stored } = await connectFor(files, failures)
  const { environments } = stored
  await addUnknownEnvironments(failures, environments)
  const comparisons = await failures.of(files, (file) => compareFile(client, file, stored))
  failures.add(await findSameNames(comparisons, stored))
  for (const one of comparisons) if (one.foundByName) note(`${one.file.path}: ${foundText(one)}`)
  if (!overwrite) await failures.of(comparisons, (one) => requireCurrent(client, one))
  failures.throwAny()
  try {
    for (const comparison of comparisons) {
      const { file, policy, equal } = comparison
      if (!format) for (const line of comparisonLines(comparison, environments)) print(line)
      const result = dryRun ? undefined : equal ? policy! : await save(client, comparison)
      // Writes the new id and version into the file as soon as its policy is saved, because the push of a later file may fail.
      if (result) await writeBack(file, result, environments)
      for (const warning of aboutNoRule(result)) note(`warning: ${file.at([warning.path])} ${warning.message}`)
      results.push(resultOf(comparison, result, dryRun))
      if (format === undefined) noteResult(comparison, result)
    }
  } finally {
    // Prints what was saved, even if a later file failed.
    if (format) printData(results, format, output)
  }
}

/** The warnings that only the control plane can give. Those about rules were found in the file. */
const aboutNoRule = (saved: Schema<'Policy'> | undefined) =>
  (saved?.warnings ?? []).filter(({ rule_id }) => rule_id === undefined)

const foundText = ({ policy }: Comparison) => `the file has no id; policy ${policy!.id} has its name and environment`

/** Lists the files whose push would give two policies the same name in one environment. */
async function findSameNames(comparisons: readonly Comparison[], stored: Stored): Promise<string[]> {
  const environments = new Map(comparisons.map(({ file, ours }) => [file, ours.environment_id]))
  const faults = sameNameFaults([...environments.keys()], (file) => environments.get(file)!)
  for (const { file, theirs, ours } of comparisons) {
    // A policy that keeps its name is saved: its file has an id, so it cannot be confused with another policy.
    if (!theirs || (isSameName(theirs.name, ours.name) && theirs.environment_id === ours.environment_id)) continue
    const [other] = await stored.named(ours.name, ours.environment_id)
    if (other === undefined) continue
    faults.push(
      `${file.at(['name'])} policy ${other} already has this name ${ours.environment_id === null ? 'for all environments' : 'in this environment'}; choose another name`,
    )
  }
  return faults
}

const statusOf = ({ policy, equal }: Comparison) => (equal ? 'unchanged' : policy ? 'updated' : 'created')

function resultOf(comparison: Comparison, saved: Schema<'Policy'> | undefined, dry_run: boolean) {
  const { id, version } = saved ?? comparison.policy ?? { id: null, version: null }
  return { file: comparison.file.path, policy_id: id, status: statusOf(comparison), version, dry_run }
}

function noteResult(comparison: Comparison, saved: Schema<'Policy'> | undefined): void {
  const { path } = comparison.file
  const status = statusOf(comparison)
  if (saved) note(`${path}: ${status}, version ${saved.version}`)
  else note(`${path}: ${comparison.equal ? status : `would be ${status}`}`)
}

/** @throws Failure that names who saved last, if the policy is newer than the version the file is based on */
async function requireCurrent(client: Client, { file, policy, foundByName, equal }: Comparison): Promise<void> {
  const based = file.content.version
  if (!policy || equal || based === policy.version) return
  const path = { policy_id: policy.id, version: policy.version }
  const { saved_by, saved_at } = await client.call('getPolicyVersion', { path })
  const who = saved_by.display_name || saved_by.email || 'the service'
  const base = based === undefined ? 'has no version' : `is based on version ${based}`
  const which = foundByName ? `policy ${policy.id}, which has its name and environment,` : 'the policy'
  throw new Failure(
    `${file.path} ${base}, but ${which} is at version ${policy.version}, saved by ${who} at ${saved_at}`,
    {
      hint: [
        `to see the differences:           mandate policies diff ${file.path}`,
        `to discard the file’s changes:    mandate policies pull ${file.path} --force`,
        `to replace the stored policy:     mandate policies push ${file.path} --overwrite`,
      ].join('\n  '),
    },
  )
}

/**
 * Saves with `If-Match`, so that a save by someone else after the comparison is not overwritten.
 * @throws Failure also if someone else gave the name to another policy after the comparison
 */
async function save(client: Client, { file, policy, ours }: Comparison): Promise<Schema<'Policy'>> {
  const { id: _, version: __, environment: ___, ...content } = file.content
  const body = { ...content, environment_id: ours.environment_id }
  try {
    if (!policy) return await client.call('createPolicy', { body })
    return await client.call('replacePolicy', { path: { policy_id: policy.id }, body, ifMatch: policy.version })
  } catch (error) {
    if (!(error instanceof MandateError)) throw error
    if (error.code === 'policy_name_taken') throw new Failure(`${file.at(['name'])} ${error.message}`)
    if (error.status !== 412) throw error
    throw new Failure(`${file.path}: someone else just saved the policy; nothing was saved`, {
      hint: `to see what differs now: mandate policies diff ${file.path}`,
    })
  }
}

async function writeBack(file: PolicyFile, policy: Schema<'Policy'>, environments: Environments): Promise<void> {
  const environment = policy.environment_id === null ? null : slugOf(environments, policy.environment_id)
  const text = updatedText(file, policy, environment)
  if (text === undefined) return
  await writeWhole(file.path, text).catch((error) => {
    const fault = fileFault(error)
    if (fault === undefined) throw error
    const why = `${file.path}: version ${policy.version} of policy ${policy.id} is saved, but the file cannot be written: ${fault}`
    // Without an id, later pushes find the policy by its name, so that a pipeline can use files that it cannot write.
    if (file.content.id === undefined) note(`warning: ${why}`)
    else throw new Failure(why, { hint: `write \`version: ${policy.version}\` into the file` })
  })
}
