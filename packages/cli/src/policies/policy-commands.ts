import { type Command, Option } from 'commander'
import { versionNumber } from '../options/version-option.ts'
import type { ConfirmOptions } from '../output/confirm.ts'
import { type OutputOptions, withOutput } from '../output/format.ts'
import { type ListOptions, withList } from '../output/show.ts'
import type { SimulateOptions } from './check-files.ts'
import type { DiffOptions } from './diff.ts'
import type { PullOptions } from './pull.ts'
import type { PushOptions } from './push.ts'
import type { ListPolicies } from './read-policies.ts'
import type { TestOptions } from './test-policy.ts'

// Imported on demand: the YAML parser and the schemas would slow the start of every other command.
const reading = () => import('./read-policies.ts')
const checking = () => import('./check-files.ts')

/** Adds `policies …`. Commands take a policy's id, or its name if only one policy has that name. */
export function addPolicyCommands(program: Command): void {
  const policies = program.command('policies').description('policies, in the control plane or as files for Git')
  withList(policies.command('list').description('list policies, newest first unless --sort is given'))
    .option('--environment <slug>', 'only policies of this environment')
    .option('--search <text>', 'part of the name of the policy or of a rule')
    .addOption(new Option('--sort <order>').choices(['created_at', 'name', 'updated_at']).default('created_at'))
    .action(async (options: ListPolicies) => (await reading()).listPolicies(options))
  withOutput(policies.command('show <policy>').description('show a policy in the format of policy files')).action(
    async (policy: string, options: OutputOptions) => (await reading()).showPolicy(policy, options),
  )
  policies
    .command('pull [policies...]')
    .description('write policies to files, or update the files')
    .option('--all', 'pull every policy that you can see')
    .option('--dir <folder>', 'the folder for new files', 'policies')
    .option('--stdout', 'print instead of writing files')
    .option('--force', 'discard changes in files that were not pushed')
    .action(async (policies: string[], options: PullOptions) =>
      (await import('./pull.ts')).pullPolicies(policies, options),
    )
  withOutput(policies.command('diff <files...>'))
    .usage('<files or folders...> | <policy> --from <version> [--to <version>]')
    .description(
      'show what a push would change, or what changed between versions; exit codes: 0 same, 1 failed, 2 different',
    )
    .option('--from <version>', 'the older version; by default the version before --to', versionNumber)
    .option('--to <version>', 'the newer version; by default the current version', versionNumber)
    .action(async (files: string[], options: DiffOptions) => (await import('./diff.ts')).diffPolicies(files, options))
  withOutput(
    policies.command('push <files...>').description('save files or folders as policies, each file as one version'),
  )
    .option('--dry-run', 'show what would change, and save nothing')
    .option('--overwrite', 'save even if the policy is newer than the version the file is based on')
    .action(async (files: string[], options: PushOptions) => (await import('./push.ts')).pushPolicies(files, options))
  withOutput(
    policies.command('validate <files...>').description('check files or folders; needs no control plane'),
  ).action(async (files: string[], options: OutputOptions) => (await checking()).validateFiles(files, options))
  withOutput(
    policies
      .command('test <file>')
      .description('check that a policy file decides calls as expected, without a control plane'),
  )
    .option(
      '--expected <file>',
      'a list of {tool, args, agent, environment, session, effect, rule}; by default the file beside the policy file, such as readers.test.yaml for readers.yaml',
    )
    .action(async (file: string, options: TestOptions) => (await import('./test-policy.ts')).testPolicy(file, options))
  withOutput(policies.command('schema').description('print the JSON Schema of policy files, for editors')).action(
    async (options: OutputOptions) => (await reading()).printSchema(options),
  )
  withOutput(
    policies.command('simulate <policy>').description('show what a policy, or a policy file, decides for calls'),
  )
    .option('--tool <tool>', 'the tool of the call, such as mcp:files/read')
    .option('--args <json>', 'the arguments of the call')
    .option('--agent <json>', 'the agent’s fields that conditions may use')
    .option('--environment <json>', 'the environment’s fields that conditions may use')
    .option(
      '--session <json>',
      'the labels and the number of calls of the session, such as {"labels": ["untrusted_output"], "calls": 3}',
    )
    .option(
      '--inventory <environment>',
      'the environment whose inventory has the labels and states of the tools; not for a file',
    )
    .option(
      '--calls <file>',
      'a list of {tool, args, agent, environment, session, result}, JSON or YAML; - reads standard input',
    )
    .option(
      '--replay <span>',
      'decide again the calls that edges recorded in this time, such as 7d, at most 30d; says first what cannot be decided again',
    )
    .action(async (policy: string, options: SimulateOptions) => (await checking()).simulatePolicy(policy, options))
  withList(policies.command('versions <policy>').description('list a policy’s versions, newest first')).action(
    async (policy: string, options: ListOptions) => (await reading()).listVersions(policy, options),
  )
  withOutput(policies.command('restore <policy>').description('save an earlier version as a new current version'))
    .argument('<version>', 'the number of the earlier version', versionNumber)
    .action(async (policy: string, version: number, options: OutputOptions) =>
      (await reading()).restoreVersion(policy, version, options),
    )
  policies
    .command('delete <policy>')
    .description('delete a policy that is assigned to no agent')
    .option('--yes', 'do not ask for confirmation')
    .action(async (policy: string, options: ConfirmOptions) =>
      (await import('./delete-policy.ts')).deletePolicy(policy, options),
    )
}
