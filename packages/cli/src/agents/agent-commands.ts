import { timelineTypes } from '@mandate/contract/words/agent-words'
import { type Command, Option } from 'commander'
import { governanceStates } from '../find/governance-states.ts'
import { loadAction } from '../options/load-action.ts'
import { timeExamples } from '../options/time-examples.ts'
import { withOutput } from '../output/format.ts'
import { withList } from '../output/show.ts'
import { withVerdict } from '../tools/with-verdict.ts'
import { withAgentFilters } from './agent-filters.ts'

const changing = () => import('./change-agent.ts')
const changingSeveral = () => import('./change-agents.ts')

const sorts = ['newest', 'attention', 'name', 'last_heartbeat']
const lifecycleVerbs = [
  ['block', 'blocked', 'block an agent: its edge denies everything'],
  ['retire', 'retired', 'mark an agent as retired'],
] as const

/** Adds `agents …`. Commands take an agent's id, or its name if only one agent has that name. */
export function addAgentCommands(program: Command): void {
  const agents = program.command('agents').description('agents: register, read, approve, stop')
  withAgentFilters(withList(agents.command('list').description('list agents, newest first')))
    .addOption(new Option('--governance-state <state>').choices([...governanceStates, 'all']))
    .option('--archived', 'archived agents too')
    .addOption(new Option('--sort <order>', 'orders one governance state').choices(sorts).default('newest'))
    .action(loadAction(() => import('./list-agents.ts'), 'listAgents'))
  withOutput(withAgentFilters(agents.command('facets').description('count agents by the values of each filter')))
    .addOption(new Option('--governance-state <state>').choices(governanceStates).default('governed'))
    .action(loadAction(() => import('./show-facets.ts'), 'showFacets'))
  withOutput(
    agents.command('show <agent>').description('show an agent, with its policy, coverage and findings'),
  ).action(loadAction(() => import('./show-agent.ts'), 'showAgent'))
  withOutput(agents.command('create <name>').description('register an agent; its key is shown once'))
    .option(
      '--environment <slug>',
      'where the agent runs; required unless you use an API key that is bound to an environment',
    )
    .option('--policy <policy>', 'the policy to assign')
    .option('--owner <user>', 'the responsible user: address, id or name; by default you')
    .option('--description <text>')
    .option('--framework <name>')
    .option('--model <name>')
    .option('--tool <tool...>', 'tools it uses, such as mcp:files/read')
    .option('--metadata <key=value...>')
    .action(loadAction(() => import('./create-agent.ts'), 'createAgent'))
  withOutput(agents.command('update <agent>').description('change an agent’s fields; omitted fields stay unchanged'))
    .option('--name <name>')
    .option('--description <text>')
    .option('--framework <name>')
    .option('--model <name>')
    .option('--tool <tool...>', 'replaces all its tools')
    .option('--metadata <key=value...>', 'replaces all its metadata')
    .option('--owner <user>', 'the responsible user: address, id or name')
    .action(loadAction(() => import('./update-agent.ts'), 'updateAgent'))
  withList(agents.command('timeline <agent>').description('show an agent’s history, newest first'))
    .option('--type <type...>', `only these types: ${timelineTypes.join(', ')}`)
    .option('--from <time>', `at this time or later, such as ${timeExamples}`)
    .option('--to <time>', 'before this time; UTC without a zone')
    .action(loadAction(() => import('./list-timeline.ts'), 'listTimeline'))
  withOutput(
    agents.command('coverage <agent>').description('show an agent’s execution coverage and its evidence'),
  ).action(loadAction(() => import('./show-coverage.ts'), 'showCoverage'))
  withVerdict(withList(agents.command('reach <agent>').description('list what an agent may do with each known tool')))
    .option('--running', 'by the version that an edge reported last, not by the policy in force')
    .action(loadAction(() => import('../tools/show-reach.ts'), 'showAgentReach'))
  withOutput(agents.command('assign <agent> <policy>').description('assign a policy to an agent')).action(
    loadAction(changing, 'assignPolicy'),
  )
  withOutput(agents.command('approve <agent>').description('approve an agent by resolving its pending review'))
    .requiredOption('--reason <text>', 'why; kept with the review and in the audit trail')
    .option('--direct', 'approve without a review (owners): sets no approval of record, so drift is not detected')
    .action(loadAction(() => import('./approve-agent.ts'), 'approveAgent'))
  for (const [verb, status, description] of lifecycleVerbs) {
    withOutput(agents.command(`${verb} <agent>`).description(description))
      .requiredOption('--reason <text>', 'why; kept in the audit trail')
      .action(async (agent, options) => (await changing()).changeLifecycle(agent, status, options))
  }
  withOutput(agents.command('suspend <agent>').description('stop an agent: its edge denies everything'))
    .option('--reason <text>', 'why; kept in the audit trail')
    .action(async (agent, options) => (await changing()).suspendOrResume(agent, 'suspendAgent', options))
  withOutput(agents.command('resume <agent>').description('let a suspended agent work again'))
    .option('--reason <text>', 'why; kept in the audit trail')
    .action(async (agent, options) => (await changing()).suspendOrResume(agent, 'resumeAgent', options))
  withOutput(
    agents.command('rotate-key <agent>').description('replace an agent’s key; the old key stops working at once'),
  ).action(loadAction(changing, 'rotateKey'))
  withOutput(
    agents.command('assign-policy <policy> <agents...>').description('assign a policy to several agents'),
  ).action(loadAction(changingSeveral, 'assignPolicyToAll'))
  agents
    .command('suppress <agents...>')
    .description('hide discovered agents from the queue')
    .action(loadAction(changingSeveral, 'suppressAgents'))
  agents
    .command('archive <agent>')
    .description('archive an agent permanently')
    .action(loadAction(changing, 'archiveAgent'))
}
