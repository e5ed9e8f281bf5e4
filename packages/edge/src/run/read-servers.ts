import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { inheritedEnvironment } from '../config.ts'
import type { ServerConfig } from '../mcp/gateway.ts'
import { isServerName } from '../mcp/tool-name.ts'

const texts = z.record(z.string(), z.string())
const ByAddress = z.strictObject({ url: z.url({ protocol: /^https?$/ }), headers: texts.optional() })
const ByCommand = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: texts.optional(),
  cwd: z.string().optional(),
})
const ServersFile = z.object({
  servers: z.record(
    z.string().refine(isServerName, 'cannot name a server: 1 to 64 of A-Z a-z 0-9 _ - .'),
    z.union([ByAddress, ByCommand], { error: 'must have a url, or a command with its args, env and cwd' }),
  ),
})

/** The tool servers a file names, by name. @throws with what is wrong in it */
export async function readServers(file: string): Promise<Record<string, ServerConfig>> {
  let given: unknown
  try {
    given = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new Error(`MANDATE_EDGE_MCP: ${file}: ${(error as Error).message}`)
  }
  const { data, error } = ServersFile.safeParse(given)
  if (!data) {
    const faults = error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
    throw new Error(`MANDATE_EDGE_MCP: ${file}: ${faults.join('; ')}`)
  }
  return Object.fromEntries(
    Object.entries(data.servers).map(([name, server]) => [
      name,
      'url' in server ? server : { ...server, env: { ...inheritedEnvironment(), ...server.env } },
    ]),
  )
}
