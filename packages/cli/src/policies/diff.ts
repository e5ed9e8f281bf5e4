import { connect } from '../connection/connect.ts'
import { allEnvironments } from '../find-environment.ts'
import { note } from '../output/note.ts'
import { print } from '../print.ts'
import { compareFile, comparisonLines } from './compare-file.ts'
import { readPolicyFile } from './policy-file.ts'

/** Shows what a push would make of each file's policy. Exit code 1 where anything differs. */
export async function diffPolicies(paths: string[]): Promise<void> {
  const files = await Promise.all(paths.map(readPolicyFile))
  const { client } = await connect()
  const environments = await allEnvironments(client)
  for (const file of files) {
    const comparison = await compareFile(client, file, environments)
    const { policy, equal } = comparison
    const { version } = file.content
    if (policy && version !== policy.version) {
      note(`${file.path} is based on version ${version ?? 'none'}; the policy is at version ${policy.version}`)
    }
    if (!equal) process.exitCode = 1
    for (const line of comparisonLines(comparison, environments)) print(line)
  }
}
