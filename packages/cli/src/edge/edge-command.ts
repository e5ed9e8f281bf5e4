import type { Command } from 'commander'
import { ownProcess } from '../invocation/invocation.ts'
import type { HookOptions } from './hook-command.ts'

interface EdgeOptions {
  url?: string
  agents?: string
  state?: string
  keyFile?: string
}

const settingsOf = ({ url, agents, state, keyFile }: EdgeOptions) => ({
  MANDATE_URL: url,
  MANDATE_EDGE_AGENTS: agents,
  MANDATE_EDGE_STATE: state,
  MANDATE_EDGE_KEY_FILE: keyFile,
})

const listening = `
\`mandate edge run\` listens for programs on the same machine at 127.0.0.1, port 8089 (--port). With --mcp it also listens for MCP
clients at port 8090 (MANDATE_EDGE_MCP_PORT), and with --demo-server at a free port. docs/edge.md has all settings and their defaults.`

/** Adds `edge`, which runs the edge: a process on the agents' machine that decides their tool calls. */
export function addEdgeCommands(program: Command): void {
  const edge = withOptions(program.command('edge'))
    .description('decide agents’ tool calls beside them; settings are environment variables too, see docs/edge.md')
    .usage('run | hook | [options] -- <command of an MCP server>')
    .argument('[command...]', 'an MCP server to run behind the edge, over standard input and output')
    .option(
      '--server <name>',
      'the server’s name in policies; required unless the command names a package or program that gives the name',
    )
    .addHelpText('after', listening)
    .action(async (command: string[], options: EdgeOptions & { server?: string }) => {
      if (command.length === 0) edge.error('error: give run, hook, or -- and the command of an MCP server')
      const { exit } = ownProcess()
      const { readEdgeConfig } = await import('@mandate/edge/config')
      const { runStdio } = await import('@mandate/edge/run/run-stdio')
      // Exits explicitly. Otherwise output that the client has not read would keep the process alive.
      exit(await runStdio(readEdgeConfig(settingsOf(options)), command, options.server))
    })
  withOptions(edge.command('run'))
    .description('listen for local callers; Ctrl-C or SIGTERM stops it')
    .option('--port <port>', 'the port for POST /edge/v1/decide (MANDATE_EDGE_PORT, default: 8089)')
    .option('--mcp <file>', 'the file that lists the MCP servers behind the edge (MANDATE_EDGE_MCP, default: none)')
    .option(
      '--demo-server',
      'also start a demonstration MCP server, mcp:demo/…, with a made-up folder in memory (MANDATE_EDGE_DEMO_SERVER=on); not with --mcp',
    )
    .action(async (_options: EdgeOptions, run: Command) => {
      const { exit } = ownProcess()
      const options = run.optsWithGlobals<EdgeOptions & { port?: string; mcp?: string; demoServer?: true }>()
      const { readEdgeConfig } = await import('@mandate/edge/config')
      const { runEdge } = await import('@mandate/edge/run/run-edge')
      const { port, mcp, demoServer } = options
      const servers = { MANDATE_EDGE_MCP: mcp, MANDATE_EDGE_DEMO_SERVER: demoServer && 'on' }
      await runEdge(readEdgeConfig({ ...settingsOf(options), MANDATE_EDGE_PORT: port, ...servers }))
      exit(0)
    })
  edge
    .command('hook')
    .description('as a coding agent’s hook: ask a running edge about the call on standard input')
    .option('--edge <url>', 'the URL of the edge (MANDATE_EDGE_LISTEN, default: http://127.0.0.1:8089)')
    .option('--namespace <name>', 'the namespace of the agent’s tools in policies: fn:<name>/<tool>', 'agent')
    .action(async (_options: object, hook: Command) => {
      const { runHookCommand } = await import('./hook-command.ts')
      await runHookCommand(hook.optsWithGlobals<HookOptions>())
    })
}

function withOptions(command: Command): Command {
  return command
    .option('--url <url>', 'the control plane (MANDATE_URL, required)')
    .option(
      '--agents <ids>',
      'the agents served, separated by commas (MANDATE_EDGE_AGENTS, default: the agent of the key)',
    )
    .option('--state <folder>', 'the edge’s state folder (MANDATE_EDGE_STATE, default: ~/.mandate/edge)')
    .option(
      '--key-file <file>',
      'the file with the agent key or edge key (MANDATE_EDGE_KEY_FILE; or MANDATE_EDGE_KEY has the key)',
    )
}
