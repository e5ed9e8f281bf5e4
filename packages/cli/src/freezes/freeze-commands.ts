import { type Command, Option } from 'commander'
import { withOutput } from '../output/format.ts'
import { withList } from '../output/show.ts'
import { freezeAgent, freezeEnvironment, freezeOrganization } from './freeze-target.ts'
import { liftFreeze } from './lift-freeze.ts'
import { listFreezeEdges, listFreezes } from './list-freezes.ts'
import { showFreeze } from './show-freeze.ts'

const edgeStates = ['confirmed', 'waiting', 'unreachable']

/** Adds `freeze …`, which starts a freeze or runs a drill, and `freezes …`. */
export function addFreezeCommands(program: Command): void {
  const freeze = program
    .command('freeze')
    .description('stop agents: their edges deny every call until the freeze is lifted')
  const starts = (name: string, description: string) =>
    withOutput(freeze.command(name).description(description))
      .requiredOption('--reason <text>', 'why; kept in the audit trail')
      .option('--drill', 'only measure how fast the edges confirm; stops nothing')
      .option('--preview', 'only count what it would stop; changes nothing')
  starts('agent <agent>', 'freeze an agent: its id or name').action(freezeAgent)
  starts('environment <environment>', 'freeze every agent of an environment: its slug, id or name').action(
    freezeEnvironment,
  )
  starts('organization', 'freeze every agent of the organization (owners)').action(freezeOrganization)
  // `freeze --drill` without a target. Without `--drill` it does nothing, so a forgotten target never looks like a freeze.
  withOutput(freeze.command('drill', { isDefault: true }))
    .description('run a drill on the organization, which stops nothing (owners)')
    .requiredOption('--reason <text>', 'why; kept in the audit trail')
    .requiredOption('--drill', 'only measure how fast the edges confirm')
    .action(freezeOrganization)
  const freezes = program.command('freezes').description('freezes and drills, and the edges that confirmed them')
  withList(freezes.command('list').description('list freezes and drills, active freezes first'))
    .addOption(new Option('--active', 'only freezes that stop agents now').conflicts('over'))
    .option('--over', 'only lifted freezes and drills')
    .action(listFreezes)
  withOutput(
    freezes
      .command('show <freeze>')
      .description('show a freeze; takes its id, or the name of what an active one stops'),
  ).action(showFreeze)
  withList(freezes.command('edges <freeze>').description('list the edge instances that have to confirm a freeze'))
    .addOption(new Option('--state <state>', 'only instances in this state').choices(edgeStates))
    .action(listFreezeEdges)
  withOutput(freezes.command('lift <freeze>').description('end a freeze; other freezes and suspensions remain'))
    .requiredOption('--reason <text>', 'why; kept in the audit trail')
    .action(liftFreeze)
}
