import { parse } from 'pg-connection-string'
import type { SessionConfig, SessionSettings } from './session-client.ts'

/** Parameters of libpq that the driver would ignore, although the connection would then be another one. */
const unsupported = [
  'hostaddr',
  'service',
  'servicefile',
  'passfile',
  'sslcrl',
  'sslcrldir',
  'sslpassword',
  'requirepeer',
  'krbsrvname',
]
// `allow` encrypts only if the server refuses a connection without encryption. It protects nothing, so it is not supported.
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/**
 * The configuration of a connection to the database at `url`, for a `SessionClient`. `session` are more settings of the session. They
 * replace settings of the URL.
 * @throws Error that says why the URL cannot be used
 */
export function connectionConfig(url: string, session: SessionSettings = {}): SessionConfig {
  const { host, port, user, password, database, ssl, options, application_name } = readDatabaseUrl(url)
  return {
    host,
    port,
    user,
    password,
    database,
    ...(ssl !== undefined && { ssl }),
    ...(options !== undefined && { options }),
    ...(application_name !== undefined && { application_name }),
    session,
  }
}

/**
 * Reads the URL of a database as `psql` does. What the URL does not say is undefined; the driver then reads PGHOST, PGPORT, PGUSER,
 * PGPASSWORD, PGDATABASE and PGSSLMODE.
 * @throws Error that says why the URL cannot be used. It does not contain the password
 */
export function readDatabaseUrl(url: string) {
  const [, authority = '', path = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)(\/[^?#]*)?/.exec(url) ?? []
  if (!/^postgres(?:ql)?:\/\//.test(url)) throw new Error('must be a URL beginning with postgres:// or postgresql://')
  if (/%(?![\da-f]{2})/i.test(url))
    throw new Error('has a % that is not followed by two hexadecimal digits; write % as %25')
  const hosts = authority.slice(authority.lastIndexOf('@') + 1)
  const query = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])
  if (`${hosts}${query.get('host') ?? ''}${query.get('port') ?? ''}`.includes(','))
    throw new Error('names several hosts; name one, such as the address that follows the primary server')
  const parameter = unsupported.find((name) => query.has(name))
  if (parameter) throw new Error(`has the parameter ${parameter}, which Mandate does not support`)
  const sslMode = query.get('sslmode')
  if (sslMode !== null && !sslModes.includes(sslMode))
    throw new Error(`has sslmode=${sslMode}; use one of ${sslModes.join(', ')}`)
  const given = parsed(url)
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
  return {
    host: text(given.host),
    port: text(given.port) === undefined ? undefined : Number(given.port),
    user: text(given.user),
    password: text(given.password),
    database: query.get('dbname') ?? text(decodeURIComponent(path.slice(1))),
    ssl: given.ssl as SessionConfig['ssl'],
    options: text(given.options),
    application_name: text(given.application_name),
  }
}

function parsed(url: string): Record<string, unknown> {
  // `@/` is a URL without a host, as for a socket in `?host=`. The parser reads it only in this form.
  const withHost = url.replace(/^(\w+:\/\/)(?=[/?])/, '$1@')
  // The parser treats these modes as `verify-full`, with a warning on standard error.
  const checked = withHost.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|#|$)/, '$1verify-full')
  try {
    return { ...parse(checked) }
  } catch (error) {
    const { code, path, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_INVALID_URL') throw new Error('is malformed; write special characters of the password with %')
    throw new Error(path === undefined ? message : `names the file ${path}, which cannot be read: ${code}`)
  }
}
