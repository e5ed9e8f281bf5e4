import type { Command } from 'commander'

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

/** `edge`: the process beside agents that decides their tool calls. */
export function addEdgeCommands(program: Command): void {
  const edge = withOptions(program.command('edge'))
    .description('decide agents’ tool calls beside them; settings are environment variables too, see docs/edge.md')
    .usage('run | hook | [options] -- <command of an MCP server>')
    .argument('[command...]', 'an MCP server to put the edge before, on standard input and output')
    .option(
      '--server <name>',
      'what policies call the server; needed unless the command names a package or a program of its own',
    )
    .action(async (command: string[], options: EdgeOptions & { server?: string }) => {
      if (command.length === 0) edge.error('error: give run, hook, or -- and the command of an MCP server')
      const { readEdgeConfig } = await import('@mandate/edge/config')
      const { runStdio } = await import('@mandate/edge/run/run-stdio')
      // What the client left unread in its pipe must not hold the process.
      process.exit(await runStdio(readEdgeConfig(settingsOf(options)), command, options.server))
    })
  withOptions(edge.command('run'))
    .description('listen for local callers; Ctrl-C or SIGTERM stops it')
    .option('--port <port>', 'where POST /edge/v1/decide is served')
    .option('--mcp <file>', 'the MCP servers to stand before')
    .action(async (_options: EdgeOptions, run: Command) => {
      const options = run.optsWithGlobals<EdgeOptions & { port?: string; mcp?: string }>()
      const { readEdgeConfig } = await import('@mandate/edge/config')
      const { runEdge } = await import('@mandate/edge/run/run-edge')
      const given = { ...settingsOf(options), MANDATE_EDGE_PORT: options.port, MANDATE_EDGE_MCP: options.mcp }
      await runEdge(readEdgeConfig(given))
      process.exit(0)
    })
  edge
    .command('hook')
    .description('ask a running edge about the call in a coding agent’s hook, on standard input')
    .option('--edge <url>', 'where the edge listens')
    .option('--namespace <name>', 'what policies call the agent’s own tools: fn:<name>/<tool>', 'agent')
    .action(async (_options: object, hook: Command) => {
      const options = hook.optsWithGlobals<EdgeOptions & { edge?: string; namespace: string }>()
      const { answerHook } = await import('@mandate/edge/hook/answer-hook')
      await answerHook(options.namespace, { ...settingsOf(options), MANDATE_EDGE_LISTEN: options.edge })
    })
}

function withOptions(command: Command): Command {
  return command
    .option('--url <url>', 'the control plane')
    .option('--agents <ids>', 'the agents served, separated by commas')
    .option('--state <folder>', 'where the edge keeps its state')
    .option('--key-file <file>', 'holds the agent’s or the edge’s key')
}
