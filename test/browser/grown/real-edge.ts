import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { askEdge, type Decision } from '@mandate/sdk/ask-edge'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const main = join(import.meta.dirname, '../../../packages/cli/src/main.ts')
const startLimitMs = 90_000

interface Call {
  tool: string
  args?: object
  onBehalfOf?: string
  sessionId?: string
}

/** An edge in a process of its own, as `mandate edge run` starts it. */
export class RealEdge {
  private readonly child: ChildProcess
  private readonly folder: string
  private readonly url: string
  /** The address of its MCP gateway. Undefined if the settings name no tool servers. */
  private readonly mcpUrl: string | undefined

  private constructor(child: ChildProcess, folder: string, { url, mcp_url: mcpUrl }: Listening) {
    this.child = child
    this.folder = folder
    this.url = url
    this.mcpUrl = mcpUrl
  }

  /** Starts an edge that serves agents. */
  static async start(
    server: string,
    key: string,
    agentIds: readonly string[],
    settings: Record<string, string> = {},
  ): Promise<RealEdge> {
    const folder = await mkdtemp(join(tmpdir(), 'mandate-edge-'))
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      MANDATE_URL: server,
      MANDATE_EDGE_KEY: key,
      MANDATE_EDGE_AGENTS: agentIds.join(','),
      MANDATE_EDGE_STATE: folder,
      MANDATE_EDGE_PORT: '0',
      ...settings,
    }
    const child = spawn(process.execPath, [main, 'edge', 'run'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    return new RealEdge(child, folder, await addressOf(child))
  }

  /** Asks the edge about a call of an agent. */
  async decide(agentId: string, { tool, args = {}, onBehalfOf, sessionId }: Call): Promise<Decision> {
    const token = await readFile(join(this.folder, 'tokens', agentId), 'utf8')
    const argsJson = JSON.stringify(args)
    const question = { edgeUrl: this.url, token, tool, argsJson, timeoutMs: 20_000, signal: undefined }
    return await askEdge({ ...question, onBehalfOf, sessionId })
  }

  /** Connects an agent to a tool server behind the edge. */
  async connect(agentId: string, server: string): Promise<Client> {
    const token = await readFile(join(this.folder, 'tokens', agentId), 'utf8')
    const client = new Client({ name: 'agent', version: '1.0.0' })
    const requestInit = { headers: { authorization: `Bearer ${token}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`/mcp/${server}`, this.mcpUrl), { requestInit }))
    return client
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve))
    if (this.child.exitCode === null && this.child.kill('SIGTERM')) await ended
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

interface Listening {
  url: string
  mcp_url?: string
}

/** The addresses that the log names when the edge listens. */
function addressOf(child: ChildProcess): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('an edge did not start in time')), startLimitMs)
    child.once('exit', (code) => reject(new Error(`an edge ended with exit code ${code}`)))
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      if (!line.includes('"msg":"listening"')) return
      clearTimeout(timer)
      resolve(JSON.parse(line))
    })
  })
}
