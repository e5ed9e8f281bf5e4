import { mcpToolName } from '@mandate/contract/fields/mcp-tool-name'
import { z } from 'zod'
import { Failure } from '../invocation/failure.ts'

const Servers = z.object({ mcp_port: z.int().min(1).max(65_535).nullable(), servers: z.array(z.string()) })
const limitMs = 10_000

/** A tool of a server behind the edge. */
export interface ServedTool {
  /** Where MCP clients reach the server, through the edge. */
  url: URL
  server: string
  /** The name that the server gives the tool. */
  name: string
}

/**
 * Asks the edge whether one of its tool servers has this name. Undefined if none has it. The tool itself may be unknown to the server.
 * @param tool the name of the tool in policies, such as `mcp:files/read`
 * @throws Failure if the edge does not answer, or refuses the token
 */
export async function findServedTool(edgeUrl: string, token: string, tool: string): Promise<ServedTool | undefined> {
  const [, server, operation = ''] = /^mcp:([^/]+)\/(.+)$/.exec(tool) ?? []
  if (server === undefined) return undefined
  const found = await askServers(edgeUrl, token)
  if (!found || found.mcp_port === null || !found.servers.includes(server)) return undefined
  const name = decoded(operation)
  // Another spelling of the name in policies, such as %41 for A, names no tool.
  if (name === undefined || mcpToolName(server, name) !== tool) return undefined
  // At the host that the user named: the edge cannot send the token to another machine.
  const url = new URL(`/mcp/${server}`, edgeUrl)
  url.port = String(found.mcp_port)
  return { url, server, name }
}

/** Undefined for an edge of an earlier version, which does not tell its servers. */
async function askServers(edgeUrl: string, token: string) {
  const response = await fetch(`${edgeUrl.replace(/\/+$/, '')}/edge/v1/servers`, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(limitMs),
  }).catch(() => {
    throw new Failure(`no edge answers at ${edgeUrl}`)
  })
  if (response.status === 404) return undefined
  if (response.status === 401)
    throw new Failure(`the edge at ${edgeUrl} refuses the token of the agent`, {
      hint: 'name the state folder of this edge with --state',
    })
  const { data } = Servers.safeParse(await response.json().catch(() => undefined))
  if (!response.ok || !data)
    throw new Failure(`the edge at ${edgeUrl} does not say which tool servers it has: status ${response.status}`, {
      hint: 'to ask for the decision only, add --decide-only',
    })
  return data
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
