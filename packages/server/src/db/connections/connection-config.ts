import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { SessionConfig, SessionSettings } from './session-client.ts'

const form =
  /^(?:(?<user>[^:/?#]*)(?::(?<password>[^/?#]*))?@)?(?<host>\[[\da-f:.]+(?:%25[\w.-]+)?\]|[^:/?#@[\]]*)(?::(?<port>\d*))?(?:\/(?<database>[^?#]*))?(?:\?(?<query>[^#]*))?$/i
const used = [
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'sslmode',
  'ssl',
  'sslcert',
  'sslkey',
  'sslrootcert',
  'sslnegotiation',
  'options',
  'application_name',
]
/** Parameters of libpq that are accepted and have no effect: the connection reaches the same database as safely without them. */
const ignored = [
  'channel_binding',
  'client_encoding',
  'connect_timeout',
  'fallback_application_name',
  'gssencmode',
  'keepalives',
  'keepalives_count',
  'keepalives_idle',
  'keepalives_interval',
  'load_balance_hosts',
  'sslcompression',
  'sslsni',
  'target_session_attrs',
  'tcp_user_timeout',
]
// `allow` encrypts only if the server refuses a connection without encryption. It protects nothing, so it is not supported.
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/**
 * The configuration of a connection to the database at `url`, for a `SessionClient`. `session` are more settings of the session. They
 * replace settings of the URL.
 * @throws Error that says why the URL cannot be used
 */
export function connectionConfig(url: string, session: SessionSettings = {}): SessionConfig {
  const { ssl, sslnegotiation, options, application_name, ...place } = readDatabaseUrl(url)
  // biome-ignore lint/style/noProcessEnv: the driver would read it too
  const user = place.user ?? (process.env.PGUSER || systemUser())
  return {
    ...place,
    ...(user !== undefined && { user }),
    ...(ssl !== undefined && { ssl }),
    // Without a value, the driver would take it from PGSSLNEGOTIATION, and fail if the connection is not encrypted.
    sslnegotiation,
    ...(options !== undefined && { options }),
    ...(application_name !== undefined && { application_name }),
    session,
  }
}

/**
 * Reads the URL of a database as `psql` does. What the URL does not say is undefined; the driver then reads PGHOST, PGPORT, PGUSER,
 * PGPASSWORD, PGDATABASE, PGSSLMODE, and the password file.
 * @throws Error that says why the URL cannot be used. It does not contain the password
 */
export function readDatabaseUrl(url: string) {
  const rest = /^postgres(?:ql)?:\/\/(.*)$/s.exec(url)?.[1]
  if (rest === undefined) throw new Error('must be a URL beginning with postgres:// or postgresql://')
  if (/%(?![\da-f]{2})/i.test(rest))
    throw new Error('has a % that is not followed by two hexadecimal digits; write % as %25')
  if (namesSeveralHosts(rest))
    throw new Error('names several hosts; name one, such as the address that follows the primary server')
  const parts = form.exec(rest)?.groups
  if (!parts)
    throw new Error(
      'is malformed: the port must be a number, and special characters of the user and the password must be written with %, such as # as %23',
    )
  const query = readQuery(parts.query)
  const text = (parameter: string, part?: string) => query.get(parameter) || decode(part ?? '') || undefined
  // In the authority, a comma of a socket's folder is written as %2C.
  if (query.get('host')?.includes(',')) throw new Error('names several hosts; name one')
  const host = text('host', parts.host?.replace(/^\[(.*)\]$/, '$1'))
  const ssl = readSsl(query)
  const sslnegotiation = readNegotiation(text('sslnegotiation'), ssl)
  // PostgreSQL does not encrypt sockets, and psql ignores `sslmode` for them.
  // biome-ignore lint/style/noProcessEnv: the driver reads it too, if the URL names no host
  const isSocket = (host ?? process.env.PGHOST)?.startsWith('/') ?? false
  return {
    host,
    port: readPort(text('port', parts.port)),
    user: text('user', parts.user),
    password: text('password', parts.password),
    database: text('dbname', parts.database),
    ssl: isSocket ? false : ssl,
    sslnegotiation: isSocket ? 'postgres' : sslnegotiation,
    options: text('options'),
    application_name: text('application_name'),
  }
}

/** The user who runs this process, as `psql` finds it. The driver would take the variable USER, which services and cron jobs often lack. */
function systemUser(): string | undefined {
  try {
    return userInfo().username
  } catch {
    // The user has no entry in the system's list of users.
    return undefined
  }
}

/** Whether the hosts after the last `@` have a comma. Before this `@`, a comma belongs to the user or the password. */
const namesSeveralHosts = (rest: string) => (/^[^/?#]*/.exec(rest)?.[0] ?? '').replace(/^.*@/s, '').includes(',')

function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text)
    if (!decoded.includes('\0')) return decoded
  } catch {}
  throw new Error('has percent codes that are not text in UTF-8')
}

/** As libpq reads a query: `+` is a plus sign, and the last of several values counts. */
function readQuery(text = ''): Map<string, string> {
  const query = new Map<string, string>()
  for (const each of text.split('&').filter(Boolean)) {
    const [name = '', ...value] = each.split('=').map(decode)
    if (!used.includes(name) && !ignored.includes(name))
      // With an @, the text may be a part of a password.
      throw new Error(
        `has ${text.includes('@') ? 'a parameter' : `the parameter ${name}`}, which Mandate does not support`,
      )
    query.set(name, value.join('='))
  }
  return query
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,5}$/.test(text) || +text < 1 || +text > 65_535) throw new Error('has a port that is not from 1 to 65535')
  return Number(text)
}

function readSsl(query: ReadonlyMap<string, string>): SessionConfig['ssl'] {
  // The parameter of JDBC, which libpq takes too.
  const alias = query.get('ssl')
  if (alias !== undefined && alias !== 'true') throw new Error(`has ssl=${alias}; use ssl=true or sslmode`)
  const mode = query.get('sslmode') ?? (alias && 'require')
  if (mode !== undefined && !sslModes.includes(mode))
    throw new Error(`has sslmode=${mode}; use one of ${sslModes.join(', ')}`)
  const file = (name: string) => readParameterFile(name, query.get(name))
  // `system` is libpq's word for the certificates that the system trusts.
  const system = query.get('sslrootcert') === 'system'
  const files = { cert: file('sslcert'), key: file('sslkey'), ca: system ? undefined : file('sslrootcert') }
  const given = Object.fromEntries(Object.entries(files).filter(([, content]) => content !== undefined))
  const encrypted = mode !== undefined ? mode !== 'disable' : system || Object.keys(given).length > 0
  // Both parameters protect against somebody in the middle, which `no-verify` does not.
  if (!encrypted || mode === 'no-verify')
    for (const name of ['channel_binding', 'gssencmode'])
      if (query.get(name) === 'require') throw new Error(`has ${name}=require; use sslmode=verify-full`)
  if (mode === 'disable') return false
  return encrypted ? { ...given, ...(mode === 'no-verify' && { rejectUnauthorized: false }) } : undefined
}

function readParameterFile(parameter: string, path: string | undefined): string | undefined {
  if (!path) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`names the file ${path} in ${parameter}, which cannot be read: ${code}`)
  }
}

function readNegotiation(value: string | undefined, ssl: SessionConfig['ssl']): 'postgres' | 'direct' {
  if (value === undefined || value === 'postgres') return 'postgres'
  if (value !== 'direct') throw new Error(`has sslnegotiation=${value}; use postgres or direct`)
  if (!ssl) throw new Error('has sslnegotiation=direct, which needs sslmode=require or verify-full')
  return value
}
