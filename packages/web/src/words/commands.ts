// Every command that a page shows. They run in the folder of Mandate, where `npm ci` has installed the program.

const program = 'npx mandate'

interface EdgeStart {
  /** The address of the control plane. */
  url: string
  /** The key of an agent or of an edge. */
  key: string
  /** The agents that an edge with a key of its own serves. Left out for the key of an agent. */
  agents?: readonly string[] | undefined
  /** Whether the edge also starts its demonstration server. */
  hasDemoServer?: boolean | undefined
}

/** The command that starts an edge. */
export function startEdge({ url, key, agents, hasDemoServer }: EdgeStart): string {
  const lines = [`MANDATE_EDGE_KEY=${key} ${program} edge run${hasDemoServer ? ' --demo-server' : ''}`, `--url ${url}`]
  if (agents) lines.push(`--agents ${agents.length > 0 ? agents.join(',') : '<id of an agent>'}`)
  return lines.join(' \\\n  ')
}

/** The command that makes one call of the agent through the edge. */
export const tryCall = ({ id, name }: { id: string; name: string }, tool: string, args: Record<string, string>) =>
  `${program} try --agent ${isPlain(name) ? name : id} \\\n  ${tool} '${JSON.stringify(args).replaceAll("'", '\\u0027')}'`

// A name that a shell would read differently never gets into a command.
const isPlain = (name: string) => /^[A-Za-z0-9][\w.-]*$/.test(name)

const keysOf = (url: string) => `--key ${url}/api/v1/edge/signing-key`

/** The command that checks an exported audit trail without the server. */
export const verifyTrail = (url: string, file = 'audit.ndjson') => `${program} audit verify ${file} ${keysOf(url)}`

/** The command that checks a downloaded receipt. The keys of the server can be saved before, so that the check needs no network. */
export const verifyReceipt = (url: string, decisionId: string) =>
  `${program} decisions verify receipt-${decisionId}.json ${keysOf(url)}`

/** The command with which the operator changes the plan of an organization. */
export const setPlan = (tenantId: string, plan: string) => `${program} operator set-plan ${tenantId} ${plan}`
