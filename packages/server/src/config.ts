import { createPrivateKey } from 'node:crypto'
import { isOwnPath } from '@mandate/contract/openapi/own-paths'
import { plans } from '@mandate/contract/tenants'
import { httpAddressFault } from '@mandate/edge/http-address'
import { z } from 'zod'
import { readDatabaseUrl } from './db/connections/connection-config.ts'
import { loadSigningKey } from './security/signing-key.ts'

const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,10}$/, { error, abort: true })
    .transform(Number)
    .pipe(z.int().min(min, error).max(max, error))
}
const port = whole(0, 65_535)
const positive = whole(1, 1_000_000_000)
const onOff = z.enum(['on', 'off'])
const url = (...protocols: string[]) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    error: `must be a URL beginning with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    abort: true,
  })
const httpUrl = z.string().superRefine((value, context) => {
  const message = httpAddressFault(value)
  if (message !== undefined) context.addIssue({ code: 'custom', message, continue: false })
})
const hexKey = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal characters')

// Some platforms allow only one line in an environment variable. A PEM key may therefore contain the two characters `\n` (a
// backslash and the letter n) in place of each line break.
const unescapeLines = (text: string) => text.replaceAll('\\n', '\n')

function isEd25519Key(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}

function formKeyChain(signingKey: string | undefined, previousSigningKeys: readonly string[]): boolean {
  if (signingKey === undefined) return false
  try {
    return loadSigningKey({ signingKey, previousSigningKeys }).previous.length > 0
  } catch {
    return false
  }
}

const Environment = z.object({
  DATABASE_URL: z
    .string()
    .superRefine((value, context) => {
      try {
        readDatabaseUrl(value)
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message })
      }
    })
    .optional(),
  DATABASE_POOL: whole(1, 200).default(10),
  REDIS_URL: url('redis:', 'rediss:').optional(),
  SMTP_URL: url('smtp:', 'smtps:').optional(),
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*@[^\r\n]*$/, 'must be an address, such as Mandate <mandate@example.com>')
    .default('Mandate <mandate@localhost>'),
  PUBLIC_URL: httpUrl
    .refine((value) => {
      const { username, password } = new URL(value)
      return username === '' && password === '' && !/[?#]/.test(value)
    }, 'must have no user, password, query or fragment')
    // Programs and proxies write other characters in several ways, so a request would not begin with this path.
    .refine(
      (value) => !/[%\\]/.test(new URL(value).pathname),
      'must have a path without spaces, percent codes, and letters outside ASCII',
    )
    // The server could not tell whether a proxy has removed such a path from a request.
    .refine((value) => !isOwnPath(new URL(value).pathname), {
      error: ({ input }) =>
        `must not have a path that begins with /${new URL(String(input)).pathname.split('/')[1]}, which the server uses itself`,
    })
    .optional(),
  PORT: port.default(8080),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('./data'),
  TRUST_PROXY: onOff.default('off'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  IDENTITY: z.enum(['embedded', 'identity-platform']).default('embedded'),
  IDENTITY_PLATFORM_PROJECT: z.string().optional(),
  IDENTITY_PLATFORM_API_KEY: z.string().optional(),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),
  GOOGLE_ISSUER: httpUrl.optional(),
  MANDATE_TOKEN_SECRET: hexKey.optional(),
  MANDATE_VAULT_KEY: hexKey.optional(),
  MANDATE_VAULT_KEY_PREVIOUS: z
    .string()
    .regex(
      /^[0-9a-f]{64}(,[0-9a-f]{64})*$/,
      'must be keys of 64 lower-case hexadecimal characters, separated by commas',
    )
    .transform((keys) => keys.split(','))
    .optional(),
  MANDATE_SIGNING_KEY: z
    .string()
    .transform(unescapeLines)
    .refine(isEd25519Key, 'must be a PKCS #8 PEM of an Ed25519 key')
    .optional(),
  MANDATE_SIGNING_KEY_PREVIOUS: z
    .string()
    .transform((keys) => keys.split(','))
    .optional(),
  MANDATE_AUTH_THROTTLE: onOff.default('on'),
  MANDATE_METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, 'must be at least 16 printable characters without spaces')
    .optional(),
  MANDATE_DEFAULT_PLAN: z.enum(plans, `must be ${plans.slice(0, -1).join(', ')} or ${plans.at(-1)}`).default('free'),
  MANDATE_SESSION_DAYS: whole(1, 400).default(30),
  MANDATE_SESSION_IDLE_DAYS: whole(1, 400).default(7),
  MANDATE_FAULTS: onOff.default('off'),
  MANDATE_ACCEPT_NEW_SECRETS: onOff.default('off'),
  MANDATE_PRIVATE_PLATFORMS: onOff.default('off'),
  MANDATE_API_RATE: positive.default(100),
  MANDATE_SESSION_RATE: positive.default(600),
  MANDATE_EDGE_RATE: positive.default(6000),
  MANDATE_HEARTBEAT_SECONDS: positive.default(30),
  MANDATE_APPROVAL_SECONDS: whole(10, 86_400).default(900),
  MANDATE_DRAIN_SECONDS: whole(0, 600).default(1),
  MANDATE_REQUEST_SECONDS: whole(1, 3600).default(120),
  MANDATE_UNAUTHENTICATED_SECONDS: whole(1, 600).default(15),
  MANDATE_UNAUTHENTICATED_PER_CLIENT: whole(1, 1_000_000).default(256),
  MANDATE_UNAUTHENTICATED_CONNECTIONS: whole(1, 1_000_000).default(4096),
})

/** By itself, because a refinement is skipped while another field is wrong. */
const SigningKeys = Environment.pick({ MANDATE_SIGNING_KEY: true, MANDATE_SIGNING_KEY_PREVIOUS: true }).refine(
  ({ MANDATE_SIGNING_KEY: key, MANDATE_SIGNING_KEY_PREVIOUS: previous }) => !previous || formKeyChain(key, previous),
  {
    path: ['MANDATE_SIGNING_KEY_PREVIOUS'],
    error: 'must lead to MANDATE_SIGNING_KEY: each of its keys vouches for the one after it',
  },
)

/** The configured settings. Secrets may be missing; `boot/secrets.ts` then creates them at the first start. */
export interface Config {
  databaseUrl: string | undefined
  databasePool: number
  redisUrl: string | undefined
  smtpUrl: string | undefined
  mailFrom: string
  /** Base URL of links in mails and responses. It has no trailing slash. */
  publicUrl: string
  /** The dashboard, as edges name it to callers: `PUBLIC_URL`. Null if it is not set: the default works on this machine only. */
  dashboardUrl: string | null
  port: number
  host: string
  dataDir: string
  trustProxy: boolean
  logLevel: string
  identity: 'embedded' | 'identity-platform'
  identityPlatform: { projectId: string; apiKey: string } | undefined
  google: { clientId: string; clientSecret: string; issuer: string | undefined } | undefined
  secrets: {
    tokenSecret: string | undefined
    vaultKey: string | undefined
    signingKey: string | undefined
    /** Previous signing keys, newest first, in the format of `SigningKeyText`. */
    previousSigningKeys: readonly string[]
  }
  /** Previous vault keys. They are only used to decrypt. */
  previousVaultKeys: readonly string[]
  /**
   * Allows connected platforms at private and loopback addresses. Loopback addresses may then also be used without TLS.
   */
  privatePlatforms: boolean
  authThrottle: boolean
  /**
   * The bearer token of `/metrics`. Without a token, the endpoint refuses every request. With the embedded database,
   * `boot/metrics-token.ts` creates one.
   */
  metricsToken: string | undefined
  /** The plan of new organizations. */
  defaultPlan: (typeof plans)[number]
  /** Maximum age of a session in days, even if it is refreshed regularly. */
  sessionDays: number
  /** A session ends after this many days without a refresh. */
  sessionIdleDays: number
  faults: boolean
  /** Whether the server starts although its secrets are others than those that the installation used before. */
  acceptNewSecrets: boolean
  apiRatePerMinute: number
  sessionRatePerMinute: number
  /** Rate limit of each edge key and each agent key. */
  edgeRatePerMinute: number
  heartbeatSeconds: number
  /** Seconds after which an approval expires, counted from its request. It must be granted and used within this time. */
  approvalSeconds: number
  /**
   * How many seconds the server accepts new connections after the stop signal. During this time, `/readyz` returns 503, and
   * each response closes its connection.
   */
  drainSeconds: number
  /** Limits of connections. Most of them apply before the client is authenticated. */
  connections: {
    requestMs: number
    unauthenticatedMs: number
    unauthenticatedPerClient: number
    unauthenticatedTotal: number
  }
}

/** Thrown if settings are invalid. It contains one text for each invalid setting. */
export class ConfigError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`the configuration is not valid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

/**
 * Reads the settings from environment variables, without white space around them. An empty variable counts as not set. This is the
 * only function that reads `process.env`.
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  return configOf(parse(env, missing))
}

/** The settings that an operator command needs: the location of the database, and the secrets that are set. */
export type OperatorConfig = Pick<Config, 'databaseUrl' | 'dataDir' | 'faults' | 'secrets' | 'previousVaultKeys'>

export function readOperatorConfig(env: Record<string, string | undefined> = process.env): OperatorConfig {
  const { databaseUrl, dataDir, faults, secrets, previousVaultKeys } = configOf(parse(env, () => []))
  return { databaseUrl, dataDir, faults, secrets, previousVaultKeys }
}

type Given = z.output<typeof Environment>
type Names = Readonly<Record<string, string | undefined>>

function parse(env: Names, alsoWrong: (given: Names) => string[]): Given {
  // A file of variables may add white space, such as the carriage return of a line end of Windows.
  const trimmed = Object.entries(env).map(([name, value]) => [name, value?.trim()])
  const given = Object.fromEntries(trimmed.filter(([, value]) => value !== ''))
  const result = Environment.safeParse(given)
  const issues = [result, SigningKeys.safeParse(given)].flatMap(({ error }) => error?.issues ?? [])
  const faults = new Set([...issues.map(describe), ...alsoWrong(given)])
  if (!result.success || faults.size > 0) throw new ConfigError([...faults])
  return result.data
}

function describe(issue: z.core.$ZodIssue): string {
  return `${issue.path.join('.')}: ${issue.message}`
}

function missing(given: Names): string[] {
  const faults: string[] = []
  const need = (name: keyof Given, when: string) => {
    if (given[name] === undefined) faults.push(`${name}: must be set ${when}`)
  }
  if (given.DATABASE_URL) {
    for (const name of ['MANDATE_TOKEN_SECRET', 'MANDATE_VAULT_KEY', 'MANDATE_SIGNING_KEY'] as const) {
      need(name, 'when DATABASE_URL is set: secrets are created automatically for the embedded database only')
    }
  }
  if (given.IDENTITY === 'identity-platform') {
    need('IDENTITY_PLATFORM_PROJECT', 'when IDENTITY is identity-platform')
    need('IDENTITY_PLATFORM_API_KEY', 'when IDENTITY is identity-platform')
  }
  if (given.GOOGLE_CLIENT_ID) need('GOOGLE_CLIENT_SECRET', 'when GOOGLE_CLIENT_ID is set')
  return faults
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '')

function configOf(given: Given): Config {
  return {
    databaseUrl: given.DATABASE_URL,
    databasePool: given.DATABASE_POOL,
    redisUrl: given.REDIS_URL,
    smtpUrl: given.SMTP_URL,
    mailFrom: given.MAIL_FROM,
    publicUrl: withoutSlash(given.PUBLIC_URL ?? localUrl(given.HOST, given.PORT)),
    dashboardUrl: given.PUBLIC_URL === undefined ? null : withoutSlash(given.PUBLIC_URL),
    port: given.PORT,
    host: given.HOST,
    dataDir: given.DATA_DIR,
    trustProxy: given.TRUST_PROXY === 'on',
    logLevel: given.LOG_LEVEL,
    identity: given.IDENTITY,
    identityPlatform: given.IDENTITY_PLATFORM_PROJECT
      ? { projectId: given.IDENTITY_PLATFORM_PROJECT, apiKey: given.IDENTITY_PLATFORM_API_KEY ?? '' }
      : undefined,
    google: given.GOOGLE_CLIENT_ID
      ? {
          clientId: given.GOOGLE_CLIENT_ID,
          clientSecret: given.GOOGLE_CLIENT_SECRET ?? '',
          issuer: given.GOOGLE_ISSUER,
        }
      : undefined,
    secrets: {
      tokenSecret: given.MANDATE_TOKEN_SECRET,
      vaultKey: given.MANDATE_VAULT_KEY,
      signingKey: given.MANDATE_SIGNING_KEY,
      previousSigningKeys: given.MANDATE_SIGNING_KEY_PREVIOUS ?? [],
    },
    previousVaultKeys: given.MANDATE_VAULT_KEY_PREVIOUS ?? [],
    privatePlatforms: given.MANDATE_PRIVATE_PLATFORMS === 'on',
    authThrottle: given.MANDATE_AUTH_THROTTLE === 'on',
    metricsToken: given.MANDATE_METRICS_TOKEN,
    defaultPlan: given.MANDATE_DEFAULT_PLAN,
    sessionDays: given.MANDATE_SESSION_DAYS,
    sessionIdleDays: given.MANDATE_SESSION_IDLE_DAYS,
    faults: given.MANDATE_FAULTS === 'on',
    acceptNewSecrets: given.MANDATE_ACCEPT_NEW_SECRETS === 'on',
    apiRatePerMinute: given.MANDATE_API_RATE,
    sessionRatePerMinute: given.MANDATE_SESSION_RATE,
    edgeRatePerMinute: given.MANDATE_EDGE_RATE,
    heartbeatSeconds: given.MANDATE_HEARTBEAT_SECONDS,
    approvalSeconds: given.MANDATE_APPROVAL_SECONDS,
    drainSeconds: given.MANDATE_DRAIN_SECONDS,
    connections: {
      requestMs: given.MANDATE_REQUEST_SECONDS * 1000,
      unauthenticatedMs: given.MANDATE_UNAUTHENTICATED_SECONDS * 1000,
      unauthenticatedPerClient: given.MANDATE_UNAUTHENTICATED_PER_CLIENT,
      unauthenticatedTotal: given.MANDATE_UNAUTHENTICATED_CONNECTIONS,
    },
  }
}

/** The address at which this machine can reach the server. If the port is 0, the real port is used when it is known. */
export function localUrl(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
