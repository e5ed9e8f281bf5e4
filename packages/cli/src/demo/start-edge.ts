import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { makeFolder } from '@mandate/edge/state/make-folder'
import { z } from 'zod'
import { type AgentClient, connectAgent } from './agent-client.ts'
import { expectThat } from './expect-that.ts'
import type { Governed } from './govern.ts'
import type { People } from './people.ts'
import type { Stage } from './stage.ts'
import { startProcess } from './start-process.ts'

const fileServer = '@modelcontextprotocol/server-filesystem'
const Listening = z.object({ mcp_url: z.string() })

/** The connected agents, and the folder that their tools can read and write. */
export interface Behind {
  reporter: AgentClient
  researcher: AgentClient
  files: string
}

/** Starts an edge in front of a file-system server, and connects the agents Reporter and Researcher to it. */
export async function startEdge(stage: Stage, url: string, people: People, governed: Governed): Promise<Behind> {
  const { folder, narrator } = stage
  const { reporter, researcher } = governed
  await narrator.step('An edge between the agents and their tools')
  const files = join(folder, 'files')
  await writeFiles(files)
  const body = { name: 'edge-1', environment_id: people.developmentId }
  const { edge_key } = await people.olivia.call('createEdge', { body })
  const servers = join(folder, 'servers.json')
  const command = { command: process.execPath, args: [programOf(fileServer), files] }
  await writeFile(servers, JSON.stringify({ servers: { files: command } }))
  const state = join(folder, 'edge')
  const listening = await startProcess(stage, 'edge', ['edge', 'run'], {
    MANDATE_URL: url,
    MANDATE_EDGE_KEY: edge_key,
    MANDATE_EDGE_AGENTS: `${reporter.id},${researcher.id}`,
    MANDATE_EDGE_STATE: state,
    MANDATE_EDGE_PORT: '0',
    MANDATE_EDGE_MCP: servers,
    MANDATE_EDGE_MCP_PORT: '0',
  })
  const address = new URL('/mcp/files', Listening.parse(listening).mcp_url)
  narrator.say(`The edge fetches the signed policy and forwards allowed calls to ${fileServer}.`)
  const connect = async ({ id, name }: { id: string; name: string }) =>
    connectAgent(stage, name, address, await readFile(join(state, 'tokens', id), 'utf8'))
  const behind = { reporter: await connect(reporter), researcher: await connect(researcher), files }
  const offered = await behind.reporter.tools()
  expectThat(
    offered.includes('read_text_file') && !offered.includes('move_file'),
    'the edge hides tools that are never allowed',
  )
  narrator.say(`The edge hides the tools that the policy always denies. The agents see: ${offered.join(', ')}.`)
  return behind
}

async function writeFiles(folder: string): Promise<void> {
  await makeFolder(join(folder, 'secrets'))
  await writeFile(join(folder, 'notes.txt'), '412 invoices in March, 3 of them disputed.\n')
  await writeFile(join(folder, 'secrets', 'bank.txt'), secret)
}

/** The content that no agent may read. */
export const secret = 'the bank’s pass phrase'

function programOf(name: string): string {
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'dist', 'index.js')
}
