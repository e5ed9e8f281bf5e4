import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { uuid } from '@mandate/contract/fields/fields'
import { uuidPattern } from '@mandate/contract/fields/is-uuid'
import { loopbackNames } from '@mandate/contract/words/loopback-names'
import { z } from 'zod'
import { fileFault } from './file-fault.ts'
import { defaultStateDir, EdgeConfigError } from './hook-config.ts'
import { httpAddressFault } from './http-address.ts'
import { type Names, setting } from './setting.ts'
import { originFault, originsWanted } from './web-origin.ts'

/** The settings of an edge. */
export interface EdgeConfig {
  /** Base URL of the control plane's API, such as `https://mandate.example.com/api/v1`. */
  controlPlane: string
  /** The key of an agent or of an edge. Never logged. */
  key: string
  /**
   * The agents to serve. Empty if `key` is an agent key and no agent is named. The edge then asks the control plane for the
   * agent.
   */
  agentIds: readonly string[]
  stateDir: string
  host: string
  /** 0 picks a free port. */
  port: number
  /** Additional host names that local callers may use in the `Host` header. */
  hostNames: readonly string[]
  /** The token of local callers. If absent, the edge generates one for each agent. */
  localToken: string | undefined
  /** Maximum number of open requests from the local callers of one agent. */
  maxOpen: number
  /** Whether the edge opens a stream, on which the control plane tells changes at once. Without it, heartbeats bring them. */
  stream: boolean
  /** The edge denies everything after this many missed heartbeats. */
  missedBeats: number
  /** Policies that stay in force without a time limit while the control plane cannot be reached. */
  keptWhenAway: 'all' | ReadonlySet<string>
  /** SHA-256 of the DER form of the only signing key to trust. If absent, the edge trusts the first key that the control plane sends. */
  signingKeySha256: string | undefined
  /** Whether approvers see the arguments of a call. Secrets are always removed from the arguments. */
  showArguments: boolean
  spoolBytes: number
  /** When the edge syncs its record of decisions to disk. `each`: before it answers a decision. `second`: once a second. */
  fsync: 'each' | 'second'
  /** The file that lists the MCP tool servers to serve. If absent, the edge serves no tool servers. */
  mcpServers: string | undefined
  /** Whether the edge serves its demonstration server. Then `mcpServers` is absent. */
  demoServer: boolean
  /** 0 picks a free port. */
  mcpPort: number
  /**
   * Additional host names and addresses that MCP clients may use in the `Host` header. Loopback names and the listening
   * address are always allowed.
   */
  allowedHosts: readonly string[]
  /** Web origins whose pages may call the MCP servers with a client token. */
  allowedOrigins: readonly string[]
  /** Limits of the MCP gateway that are set. A missing one has its default. */
  mcpLimits?: { keepAliveMs?: number; drainMs?: number; maxRequestBytes?: number } | undefined
  /** Which calls of an agent are one session: all of them, or those with one `session_id` of the caller. */
  sessions: 'agent' | 'caller'
  /** Whether tokens for credentials may be fetched from addresses in private networks. */
  privateTokenUrls: boolean
  logLevel: string
}

const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,10}$/, { error, abort: true })
    .transform(Number)
    .pipe(z.int(error).min(min, error).max(max, error))
}
const onOff = z.enum(['on', 'off'], { error: 'must be on or off' })
const listOf = (item: z.ZodType<string, string>, what: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item, { error: what }))

const origin = z.string().superRefine((value, { addIssue }) => {
  const fault = originFault(value)
  if (fault !== undefined) addIssue(fault)
})

const agentId = z.string().regex(uuidPattern, 'must be agent ids (UUIDs) separated by commas').pipe(uuid)

const Environment = z.object({
  MANDATE_URL: z.string({ error: 'must be set: the URL of the control plane' }).superRefine((value, { addIssue }) => {
    const fault = httpAddressFault(value)
    if (fault !== undefined) addIssue(fault)
  }),
  MANDATE_EDGE_KEY: z
    .string({ error: 'must be set: the key of an agent (ak_…) or of an edge (ek_…), or MANDATE_EDGE_KEY_FILE' })
    .regex(
      /^(ak|ek)_[0-9a-f]{64}$/,
      'must be ak_ or ek_ and 64 lower-case hexadecimal characters; an API key (mk_) is for other programs',
    ),
  MANDATE_EDGE_AGENTS: z
    .string()
    .pipe(listOf(agentId, 'must be agent ids separated by commas'))
    .transform((ids) => [...new Set(ids)])
    .refine((ids) => ids.length <= 5000, 'must be at most 5000 agents')
    .optional(),
  MANDATE_EDGE_STATE: z.string().optional(),
  MANDATE_EDGE_HOST: z.string().default('127.0.0.1'),
  MANDATE_EDGE_PORT: whole(0, 65_535).default(8089),
  MANDATE_EDGE_HOST_NAMES: listOf(
    z.string().regex(/^[A-Za-z0-9.-]+$/, 'must be host names separated by commas'),
    'must be host names separated by commas',
  ).default([]),
  MANDATE_EDGE_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{32,}$/, 'must be at least 32 visible characters')
    .optional(),
  MANDATE_EDGE_MAX_OPEN: whole(1, 16_384).default(256),
  MANDATE_EDGE_STREAM: onOff.default('on'),
  MANDATE_EDGE_MISSED_BEATS: whole(1, 1000).default(5),
  MANDATE_EDGE_KEEP_WHEN_AWAY: z
    .union(
      [
        z.literal('all'),
        listOf(z.string().regex(uuidPattern), '').transform((ids): ReadonlySet<string> => new Set(ids)),
      ],
      {
        error: 'must be "all" or policy ids (UUIDs) separated by commas',
      },
    )
    .default(new Set<string>()),
  MANDATE_EDGE_SIGNING_KEY_SHA256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal characters')
    .optional(),
  MANDATE_EDGE_SHOW_ARGUMENTS: onOff.default('on'),
  MANDATE_EDGE_SPOOL_MB: whole(1, 100_000).default(256),
  MANDATE_EDGE_FSYNC: z.enum(['each', 'second'], { error: 'must be each or second' }).default('second'),
  MANDATE_EDGE_ALLOW_HTTP: onOff.default('off'),
  MANDATE_EDGE_MCP: z.string().optional(),
  MANDATE_EDGE_DEMO_SERVER: onOff.default('off'),
  MANDATE_EDGE_MCP_PORT: whole(0, 65_535).optional(),
  MANDATE_EDGE_ALLOWED_HOSTS: listOf(
    z.string().regex(/^[A-Za-z0-9.-]+$|^\[?[0-9A-Fa-f:]+\]?$/, 'must be host names or addresses separated by commas'),
    'must be host names or addresses separated by commas',
  ).default([]),
  MANDATE_EDGE_ALLOWED_ORIGINS: listOf(origin, originsWanted).default([]),
  MANDATE_EDGE_KEEP_ALIVE_SECONDS: whole(1, 300).optional(),
  MANDATE_EDGE_DRAIN_SECONDS: whole(0, 600).optional(),
  MANDATE_EDGE_MAX_REQUEST_MB: whole(1, 64).optional(),
  MANDATE_EDGE_SESSIONS: z.enum(['agent', 'caller'], { error: 'must be agent or caller' }).default('agent'),
  MANDATE_EDGE_PRIVATE_TOKEN_URLS: onOff.optional(),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
      error: 'must be one of trace, debug, info, warn, error, silent',
    })
    .default('info'),
})

/**
 * Reads the settings from environment variables, without white space around them. Values in `given` take precedence. An empty value
 * counts as absent.
 * @throws EdgeConfigError that lists every error
 */
export function readEdgeConfig(given: Names = {}, env: Names = process.env): EdgeConfig {
  const present = (names: Names) =>
    Object.keys(names)
      .map((name) => [name, setting(name, names)])
      .filter(([, value]) => value)
  const all: Record<string, string | undefined> = Object.fromEntries([...present(env), ...present(given)])
  const unread = readKeyFile(all)
  const result = Environment.safeParse(all)
  // Without its file, the key itself is not another error.
  const issues = result.error?.issues.filter(({ path }) => unread.length === 0 || path[0] !== 'MANDATE_EDGE_KEY') ?? []
  const faults = [...unread, ...issues.map(describe), ...alsoWrong(all)]
  if (!result.success || faults.length > 0) throw new EdgeConfigError(faults)
  return configOf(result.data, all)
}

/**
 * The environment variables for a tool server that the edge starts. They are the variables of this process without the
 * settings of the edge, such as its key.
 */
export function inheritedEnvironment(env: Names = process.env): Record<string, string> {
  const kept = Object.entries(env).filter(([name, value]) => value !== undefined && !name.startsWith('MANDATE_'))
  return Object.fromEntries(kept) as Record<string, string>
}

function readKeyFile(all: Record<string, string | undefined>): string[] {
  const file = all.MANDATE_EDGE_KEY_FILE
  if (file === undefined) return []
  try {
    all.MANDATE_EDGE_KEY = readFileSync(file, 'utf8').trim()
    return all.MANDATE_EDGE_KEY === '' ? [`MANDATE_EDGE_KEY_FILE: the file ${file} is empty`] : []
  } catch (error) {
    delete all.MANDATE_EDGE_KEY
    return [`MANDATE_EDGE_KEY_FILE: ${file}: ${fileFault(error) ?? (error as Error).message}`]
  }
}

function alsoWrong(all: Names): string[] {
  const faults: string[] = []
  const agents = new Set(all.MANDATE_EDGE_AGENTS?.split(',').map((id) => id.trim().toLowerCase()))
  // Without a key, or with another key, only the key is wrong.
  if (all.MANDATE_EDGE_AGENTS === undefined && all.MANDATE_EDGE_KEY?.startsWith('ek_')) {
    faults.push(
      "MANDATE_EDGE_AGENTS: must be set: the ids of the agents served, separated by commas; an agent's own key needs none",
    )
  }
  if (all.MANDATE_EDGE_KEY?.startsWith('ak_') && agents.size > 1) {
    faults.push("MANDATE_EDGE_AGENTS: must be one agent, since an agent's key serves that agent alone")
  }
  if (all.MANDATE_EDGE_TOKEN && agents.size > 1) {
    faults.push('MANDATE_EDGE_TOKEN: must be left out for several agents, each of which gets a token of its own')
  }
  const hasDemo = all.MANDATE_EDGE_DEMO_SERVER === 'on'
  if (all.MANDATE_EDGE_MCP && hasDemo) {
    faults.push(
      'MANDATE_EDGE_DEMO_SERVER: must be off with MANDATE_EDGE_MCP (--demo-server without --mcp): the demonstration server is for an edge that has no servers yet',
    )
  }
  const mcpPort = all.MANDATE_EDGE_MCP_PORT ?? (hasDemo ? '0' : '8090')
  if ((all.MANDATE_EDGE_MCP || hasDemo) && mcpPort !== '0' && mcpPort === all.MANDATE_EDGE_PORT) {
    faults.push('MANDATE_EDGE_PORT: must not be MANDATE_EDGE_MCP_PORT, where the edge listens for MCP clients')
  }
  const url = URL.canParse(all.MANDATE_URL ?? '') ? new URL(all.MANDATE_URL as string) : null
  if (url?.protocol === 'http:' && !loopbackNames.has(url.hostname) && all.MANDATE_EDGE_ALLOW_HTTP !== 'on') {
    faults.push('MANDATE_URL: must begin with https://, or MANDATE_EDGE_ALLOW_HTTP=on lets the key travel in the clear')
  }
  if (url && (url.username || url.password || url.search || url.hash)) {
    faults.push('MANDATE_URL: must hold no credentials, query or fragment')
  }
  return faults
}

function describe(issue: z.core.$ZodIssue): string {
  return `${issue.path[0] as string}: ${issue.message}`
}

function mcpLimitsOf(given: z.output<typeof Environment>) {
  const { MANDATE_EDGE_KEEP_ALIVE_SECONDS: keepAlive, MANDATE_EDGE_DRAIN_SECONDS: drain } = given
  const { MANDATE_EDGE_MAX_REQUEST_MB: maxRequest } = given
  const limits = {
    ...(keepAlive !== undefined && { keepAliveMs: keepAlive * 1000 }),
    ...(drain !== undefined && { drainMs: drain * 1000 }),
    ...(maxRequest !== undefined && { maxRequestBytes: maxRequest << 20 }),
  }
  return Object.keys(limits).length > 0 ? limits : undefined
}

function configOf(given: z.output<typeof Environment>, all: Names): EdgeConfig {
  const base = given.MANDATE_URL.replace(/\/+$/, '')
  return {
    controlPlane: base.endsWith('/api/v1') ? base : `${base}/api/v1`,
    key: given.MANDATE_EDGE_KEY,
    agentIds: given.MANDATE_EDGE_AGENTS ?? [],
    stateDir: resolve(given.MANDATE_EDGE_STATE ?? defaultStateDir(all)),
    host: given.MANDATE_EDGE_HOST,
    port: given.MANDATE_EDGE_PORT,
    hostNames: given.MANDATE_EDGE_HOST_NAMES,
    localToken: given.MANDATE_EDGE_TOKEN,
    maxOpen: given.MANDATE_EDGE_MAX_OPEN,
    stream: given.MANDATE_EDGE_STREAM === 'on',
    missedBeats: given.MANDATE_EDGE_MISSED_BEATS,
    keptWhenAway: given.MANDATE_EDGE_KEEP_WHEN_AWAY,
    signingKeySha256: given.MANDATE_EDGE_SIGNING_KEY_SHA256,
    showArguments: given.MANDATE_EDGE_SHOW_ARGUMENTS === 'on',
    spoolBytes: given.MANDATE_EDGE_SPOOL_MB * 1_048_576,
    fsync: given.MANDATE_EDGE_FSYNC,
    mcpServers: given.MANDATE_EDGE_MCP,
    demoServer: given.MANDATE_EDGE_DEMO_SERVER === 'on',
    // Programs ask the edge for the port of the demonstration server, so a port that is in use need not stop the edge.
    mcpPort: given.MANDATE_EDGE_MCP_PORT ?? (given.MANDATE_EDGE_DEMO_SERVER === 'on' ? 0 : 8090),
    allowedHosts: given.MANDATE_EDGE_ALLOWED_HOSTS,
    allowedOrigins: given.MANDATE_EDGE_ALLOWED_ORIGINS,
    mcpLimits: mcpLimitsOf(given),
    // A control plane on this machine is for trying out, and then the authorization server is on this machine too.
    sessions: given.MANDATE_EDGE_SESSIONS,
    privateTokenUrls:
      (given.MANDATE_EDGE_PRIVATE_TOKEN_URLS ?? (loopbackNames.has(new URL(base).hostname) ? 'on' : 'off')) === 'on',
    logLevel: given.LOG_LEVEL,
  }
}
