import { type Command, InvalidArgumentError } from 'commander'
import type { ConfirmOptions } from '../output/confirm.ts'
import { type OutputOptions, withOutput } from '../output/format.ts'
import { type ListOptions, withList } from '../output/show.ts'
import type { DiffOptions } from './diff.ts'
import type { SimulateOptions } from './judge-files.ts'
import type { PullOptions } from './pull.ts'
import type { PushOptions } from './push.ts'

// Loaded only when they run: they bring the parser and the schemas along, which other commands need not wait for.
const reading = () => import('./read-policies.ts')
const judging = () => import('./judge-files.ts')

/** `policies …`. A policy is named by its id, or by its name where only one has it. */
export function addPolicyCommands(program: Command): void {
  const policies = program.command('policies').description('policies, also as files for Git')
  withList(policies.command('list').description('list policies, newest first'))
    .option('--environment <slug>', 'of one environment')
    .action(async (options: ListOptions & { environment?: string }) => (await reading()).listPolicies(options))
  withOutput(policies.command('show <policy>').description('show a policy as its file would be')).action(
    async (policy: string, options: OutputOptions) => (await reading()).showPolicy(policy, options),
  )
  policies
    .command('pull [policies...]')
    .description('write policies into files, or bring files up to date')
    .option('--all', 'every policy you see')
    .option('--dir <folder>', 'where new files go', 'policies')
    .option('--stdout', 'print instead of writing')
    .option('--force', 'drop what a file has that was not pushed')
    .action(async (policies: string[], options: PullOptions) =>
      (await import('./pull.ts')).pullPolicies(policies, options),
    )
  withOutput(policies.command('diff <files...>'))
    .usage('<files or folders...> | <policy> --from <version> [--to <version>]')
    .description(
      'show what a push would change, or what changed between versions; exit code 0 same, 1 failed, 2 different',
    )
    .option('--from <version>', 'the older version; the one before --to unless given', versionNumber)
    .option('--to <version>', 'the newer version; the current one unless given', versionNumber)
    .action(async (files: string[], options: DiffOptions) => (await import('./diff.ts')).diffPolicies(files, options))
  withOutput(
    policies.command('push <files...>').description('save files or folders as policies, each file as one version'),
  )
    .option('--dry-run', 'show what would change, and save nothing')
    .option('--overwrite', 'also where the policy has moved on from the version the file is based on')
    .action(async (files: string[], options: PushOptions) => (await import('./push.ts')).pushPolicies(files, options))
  withOutput(
    policies.command('validate <files...>').description('check files or folders, without a control plane'),
  ).action(async (files: string[], options: OutputOptions) => (await judging()).validateFiles(files, options))
  withOutput(policies.command('simulate <policy>').description('what a policy, or a file of one, decides of calls'))
    .option('--tool <tool>', 'such as mcp:files/read')
    .option('--args <json>', 'its arguments')
    .option('--agent <json>', 'facts of the agent')
    .option('--environment <json>', 'facts of the environment')
    .option('--calls <file>', 'a list of {tool, args, agent, environment}, JSON or YAML; - reads standard input')
    .action(async (policy: string, options: SimulateOptions) => (await judging()).simulatePolicy(policy, options))
  withList(policies.command('versions <policy>').description('list a policy’s versions, newest first')).action(
    async (policy: string, options: ListOptions) => (await reading()).listVersions(policy, options),
  )
  withOutput(policies.command('restore <policy>').description('make an earlier version current, as a new one'))
    .argument('<version>', 'its number', versionNumber)
    .action(async (policy: string, version: number, options: OutputOptions) =>
      (await reading()).restoreVersion(policy, version, options),
    )
  policies
    .command('delete <policy>')
    .description('delete a policy that no agent is under')
    .option('--yes', 'without asking')
    .action(async (policy: string, options: ConfirmOptions) =>
      (await import('./delete-policy.ts')).deletePolicy(policy, options),
    )
}

function versionNumber(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('must be a version, a whole number from 1.')
  return Number(text)
}
