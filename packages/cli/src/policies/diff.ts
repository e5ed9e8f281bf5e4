import { classifyChange } from '@mandate/policy/changes/classify-change'
import { diffSnapshots } from '@mandate/policy/changes/diff'
import { differs, usageFailure } from '../invocation/failure.ts'
import { invocation } from '../invocation/invocation.ts'
import { dataFormat, type OutputOptions, printData } from '../output/format.ts'
import { note } from '../output/note.ts'
import { print } from '../output/print.ts'
import { AllFailures } from './all-failures.ts'
import { type Comparison, compareFile, comparisonLines } from './compare-file.ts'
import { diffVersions } from './diff-versions.ts'
import { addUnknownEnvironments } from './environment-faults.ts'
import { sameIdFaults, sameNameFaults, withId } from './files/distinct-files.ts'
import { readPolicyFile } from './files/policy-file.ts'
import { isPolicyFile, policyPaths } from './files/policy-paths.ts'
import { connectFor } from './stored-policies.ts'

export interface DiffOptions extends OutputOptions {
  from?: number
  to?: number
}

/** Compares files with their policies, or two versions of one policy. Exit codes: 0 the same, 1 failed, 2 different. */
export async function diffPolicies(given: string[], { from, to, ...output }: DiffOptions): Promise<void> {
  if (from === undefined && to === undefined) return await diffFiles(given, output)
  const [named, another] = given
  if (named === undefined || another !== undefined) throw usageFailure('--from and --to take one policy')
  await diffVersions(named, from, to, output)
}

const versionHint = 'to compare versions of a stored policy, use --from and --to'

/** Shows what a push would change in each file's policy. Continues with the other files if one cannot be compared. */
async function diffFiles(given: string[], output: OutputOptions): Promise<void> {
  const paths = await policyPaths(given)
  const failures = new AllFailures()
  const files = await failures.of(paths, readPolicyFile)
  const { client, stored } = await connectFor(files, failures)
  await addUnknownEnvironments(failures, stored.environments)
  const format = dataFormat(output)
  const results: object[] = []
  const comparisons = await failures.of(files, (file) => compareFile(client, file, stored))
  for (const comparison of comparisons) {
    const { file, policy, foundByName, equal } = comparison
    const { version } = file.content
    if (foundByName) note(`${file.path}: the file has no id; policy ${policy!.id} has its name and environment`)
    else if (policy && version !== policy.version) {
      note(`${file.path} is based on version ${version ?? 'none'}; the policy is at version ${policy.version}`)
    }
    if (!equal) invocation().exitCode = differs
    if (format) results.push(resultOf(comparison))
    else for (const line of comparisonLines(comparison, stored.environments)) print(line)
  }
  failures.add([...sameIdFaults(files.map(withId)), ...sameNameFaults(files)])
  if (format) printData(results, format, output)
  failures.throwAny(paths.every(isPolicyFile) ? undefined : versionHint)
}

function resultOf({ file, policy, theirs, ours, equal }: Comparison) {
  const { id = null, version = null } = policy ?? {}
  const change =
    theirs && !equal ? { change_class: classifyChange(theirs, ours), diff: diffSnapshots(theirs, ours) } : {}
  return { file: file.path, based_on: file.content.version ?? null, policy_id: id, version, equal, ...change }
}
