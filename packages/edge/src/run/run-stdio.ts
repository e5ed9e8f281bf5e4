import type { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { isServerName } from '@mandate/contract/fields/mcp-tool-name'
import { type EdgeConfig, inheritedEnvironment } from '../config.ts'
import type { JsonValue } from '../mcp/messages/json.ts'
import { isRequest, readMessage } from '../mcp/messages/read-message.ts'
import { rpcError, upstreamFailed } from '../mcp/messages/rpc-error.ts'
import { readLines } from '../mcp/stdio/read-lines.ts'
import { runStdioEdge } from '../mcp/stdio/stdio-edge.ts'
import { startEdge } from '../start-edge.ts'
import { claimServerName } from './claim-server-name.ts'
import { edgeLogger } from './edge-logger.ts'
import { serverNameOf } from './server-name.ts'
import { stopSignal } from './stop-signal.ts'

/** The exit code of an edge that is stopped before it starts its tool server. Shells use it for a program that SIGTERM ended. */
const stoppedCode = 143

/** How long the edge waits for a first request of its client if it cannot start. */
const firstRequestMs = 500
const longestFirstRequest = 1 << 20

interface ClientStreams {
  readonly stdin: Readable
  readonly stdout: Writable
}

/**
 * Starts a tool server and relays its messages through an edge. The client is connected through standard input and output.
 * Returns the exit code of the tool server. If the edge cannot start, the client's first request gets the reason as its answer.
 * @throws if the server has no name, if another command already uses its name, or if there is more than one agent
 */
export async function runStdio(
  config: EdgeConfig,
  command: readonly string[],
  named: string | undefined,
  client: ClientStreams = process,
): Promise<number> {
  try {
    return await run(config, command, named, client)
  } catch (error) {
    await answerFirst(client, `The edge cannot start: ${(error as Error).message}`)
    throw error
  }
}

/** Answers the first request of a client with an error. Clients do not show people what the edge writes to standard error. */
async function answerFirst({ stdin, stdout }: ClientStreams, reason: string): Promise<void> {
  if (stdin.readableEnded || stdin.destroyed) return
  const late = new AbortController()
  const lines = readLines(stdin, longestFirstRequest)
  const [line] = await Promise.race([
    lines.next().then(({ value }) => [value]),
    wait(firstRequestMs, [], { signal: late.signal }),
  ]).catch(() => [])
  late.abort()
  const incoming = Buffer.isBuffer(line) ? readMessage(line) : null
  const { messages, isBatch } = incoming?.ok ? incoming : { messages: [], isBatch: false }
  const errors = messages.filter(isRequest).map(({ id }) => rpcError(id as JsonValue, upstreamFailed, reason))
  if (errors.length > 0) stdout.write(`${JSON.stringify(isBatch ? errors : errors[0])}\n`)
  stdin.destroy()
}

async function run(
  config: EdgeConfig,
  command: readonly string[],
  named: string | undefined,
  { stdin, stdout }: ClientStreams,
): Promise<number> {
  if (config.agentIds.length > 1)
    throw new Error('MANDATE_EDGE_AGENTS: name one agent only; an edge on standard input serves one agent')
  const server = named ?? serverNameOf(command)
  if (server === null)
    throw new Error('cannot derive the name of the tool server from its command: give --server <name>')
  if (!isServerName(server))
    throw new Error(`--server ${JSON.stringify(server)} is not a valid server name: use 1 to 64 of A-Z a-z 0-9 _ - .`)
  await claimServerName(config.stateDir, server, command)
  const signal = stopSignal()
  const log = edgeLogger(config.logLevel)
  log.info(
    { server, rules_see: `mcp:${server}/<tool>`, given: named !== undefined },
    'name of the tool server in policies',
  )
  const edge = await startEdge(config, log, { stopping: signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
    return null
  })
  if (edge === null || signal.aborted) {
    await edge?.close()
    return stoppedCode
  }
  const guard = edge.guardFor(edge.agentIds[0] as string)
  const [program = '', ...args] = command
  const { stderr } = process
  const env = inheritedEnvironment()
  try {
    const { drainMs, maxRequestBytes } = config.mcpLimits ?? {}
    const limits = {
      ...(drainMs !== undefined && { drainMs }),
      ...(maxRequestBytes !== undefined && { maxRequestBytes }),
    }
    const streams = { stdin, stdout, stderr }
    return await runStdioEdge({ command: program, args, env, server, guard, ...streams, log, signal, ...limits })
  } finally {
    await guard.close()
    await edge.close()
  }
}
