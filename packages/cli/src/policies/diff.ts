import { classifyChange } from '@mandate/policy/classify-change'
import { diffSnapshots } from '@mandate/policy/diff'
import { connect } from '../connection/connect.ts'
import { allEnvironments } from '../find/find-environment.ts'
import { differs, Failure, usageFailure } from '../invocation/failure.ts'
import { invocation } from '../invocation/invocation.ts'
import { dataFormat, type OutputOptions, printData } from '../output/format.ts'
import { note } from '../output/note.ts'
import { print } from '../output/print.ts'
import { type Comparison, compareFile, comparisonLines } from './compare-file.ts'
import { diffVersions } from './diff-versions.ts'
import { readPolicyFile } from './policy-file.ts'
import { isPolicyFile, policyPaths } from './policy-paths.ts'

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
  const { client } = await connect()
  const environments = await allEnvironments(client)
  const format = dataFormat(output)
  const results: object[] = []
  const problems: Failure[] = []
  for (const path of paths) {
    try {
      const file = await readPolicyFile(path)
      const comparison = await compareFile(client, file, environments)
      const { policy, equal } = comparison
      const { version } = file.content
      if (policy && version !== policy.version) {
        note(`${path} is based on version ${version ?? 'none'}; the policy is at version ${policy.version}`)
      }
      if (!equal) invocation().exitCode = differs
      if (format) results.push(resultOf(comparison))
      else for (const line of comparisonLines(comparison, environments)) print(line)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      problems.push(error)
    }
  }
  if (format) printData(results, format, output)
  if (problems.length === 0) return
  const hint = paths.every(isPolicyFile) ? problems.find((one) => one.hint)?.hint : versionHint
  throw new Failure(problems.map(({ message }) => message).join('\n'), { hint })
}

function resultOf({ file, policy, theirs, ours, equal }: Comparison) {
  const { id = null, version = null } = policy ?? {}
  const change =
    theirs && !equal ? { change_class: classifyChange(theirs, ours), diff: diffSnapshots(theirs, ours) } : {}
  return { file: file.path, based_on: file.content.version ?? null, policy_id: id, version, equal, ...change }
}
