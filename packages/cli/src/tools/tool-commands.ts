import { toolStates, toolWarningTypes } from '@mandate/contract/words/tool-words'
import { type Command, Option } from 'commander'
import { withOutput } from '../output/format.ts'
import { withList } from '../output/show.ts'
import { blockTool, labelTool, pinTool, unblockTool, unpinTool } from './change-tools.ts'
import { showToolReach } from './show-reach.ts'
import { listTools, showTool, showToolFacets } from './show-tools.ts'
import { withVerdict } from './with-verdict.ts'

/** Adds `tools …`. Commands take the name of a tool (`mcp:<server>/<name>`) or its id. */
export function addToolCommands(program: Command): void {
  const tools = program.command('tools').description('what tool servers declare, and which definitions are pinned')
  withFilters(withList(tools.command('list').description('list tools'))).action(listTools)
  withFilters(withOutput(tools.command('facets').description('count tools by the values of each filter'))).action(
    showToolFacets,
  )
  withEnvironment(tools.command('show <tool>').description('show a tool with its definitions')).action(showTool)
  withVerdict(withList(tools.command('reach <tool>').description('list the agents that may call a tool')))
    .option('--environment <slug>', inEnvironment)
    .action(showToolReach)
  withEnvironment(tools.command('pin <tool>').description('pin the latest definition of a tool, or others'))
    .option(
      '--definition <hash...>',
      'hashes of the definitions to pin, at most 5; needed if edges or agents declare different ones, or if no edge declares the latest of several',
    )
    .action(pinTool)
  withEnvironment(tools.command('unpin <tool>').description('remove the pins of a tool')).action(unpinTool)
  withEnvironment(tools.command('block <tool>').description('let edges deny every call of a tool'))
    .requiredOption('--reason <text>', 'why the tool is blocked')
    .action(blockTool)
  withEnvironment(tools.command('unblock <tool>').description('end the block of a tool')).action(unblockTool)
  withEnvironment(tools.command('labels <tool> [labels...]').description('set the labels of a tool')).action(labelTool)
}

const inEnvironment = 'the environment of the tool, if several have the name'

function withFilters(command: Command): Command {
  return command
    .option('--search <text>', 'only tools with this text in their name or title')
    .addOption(new Option('--state <state>', 'only tools in this state').choices(toolStates))
    .option('--server <name>', 'only tools of this server')
    .option('--label <label>', 'only tools with this label')
    .addOption(new Option('--warning <type>', 'only tools with such a warning').choices(toolWarningTypes))
    .option('--environment <slug>', 'only tools of this environment')
    .option('--agent <agent>', 'only tools that this agent called, or that were declared for it')
}

function withEnvironment(command: Command): Command {
  return withOutput(command).option('--environment <slug>', inEnvironment)
}
