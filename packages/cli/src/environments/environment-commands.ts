import { type Command, Option } from 'commander'
import { type ConfirmOptions, withYes } from '../output/confirm.ts'
import { withOutput } from '../output/format.ts'
import { withList } from '../output/show.ts'
import { createEnvironment, deleteEnvironment, updateEnvironment } from './change-environment.ts'
import { listEnvironments, previewDeletion, showEnvironment } from './show-environment.ts'

/** Adds `environments …`. Commands take an environment's slug, id or name. */
export function addEnvironmentCommands(program: Command): void {
  const environments = program.command('environments').description('the organization’s environments')
  withList(environments.command('list').description('list environments')).action(listEnvironments)
  withOutput(environments.command('show <environment>').description('show an environment')).action(showEnvironment)
  withMode(withOutput(environments.command('create <name>').description('create an environment')))
    .option('--slug <slug>', 'its name in commands and policy files; derived from the name by default')
    .option('--production', 'its agents need approval by an owner')
    .action(createEnvironment)
  withMode(withOutput(environments.command('update <environment>').description('change an environment')))
    .option('--name <name>')
    .option('--slug <slug>')
    .option('--production', 'its agents need approval by an owner')
    .option('--no-production')
    .option('--no-keep-arguments')
    .action(updateEnvironment)
  withOutput(
    environments.command('deletion-preview <environment>').description('show what deleting an environment keeps'),
  ).action(previewDeletion)
  withYes(environments.command('delete <environment>').description('delete an environment without agents')).action(
    (named: string, options: ConfirmOptions) => deleteEnvironment(named, options),
  )
}

function withMode(command: Command): Command {
  return command
    .addOption(
      new Option('--mode <mode>', 'enforce policies, or only record their decisions').choices(['enforce', 'monitor']),
    )
    .addOption(
      new Option('--tool-pinning <mode>', 'what edges do about tools whose definition is not pinned').choices([
        'off',
        'alert',
        'enforce',
      ]),
    )
    .option('--keep-arguments', 'keep what conditions of policies read of the arguments, for replays')
}
