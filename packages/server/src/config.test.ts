import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig, readOperatorConfig } from './config.ts'
import { succeedSigningKey } from './security/signing-key.ts'

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
  }
  return []
}

const signingKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const secrets = {
  MANDATE_TOKEN_SECRET: 'a'.repeat(64),
  MANDATE_VAULT_KEY: 'b'.repeat(64),
  MANDATE_SIGNING_KEY: signingKey,
}

describe('readConfig', () => {
  test('leaves out white space around every variable, such as the carriage return of a file of Windows', () => {
    const every = {
      ...secrets,
      DATABASE_URL: 'postgres://user:password@db.example/mandate',
      DATABASE_POOL: '1',
      REDIS_URL: 'redis://redis.example',
      SMTP_URL: 'smtp://mail.example',
      MAIL_FROM: 'Mandate <mandate@example.com>',
      PUBLIC_URL: 'https://host.example',
      PORT: '2',
      HOST: '0.0.0.0',
      DATA_DIR: './folder',
      TRUST_PROXY: 'on',
      LOG_LEVEL: 'warn',
      IDENTITY: 'identity-platform',
      IDENTITY_PLATFORM_PROJECT: 'project',
      IDENTITY_PLATFORM_API_KEY: 'key',
      GOOGLE_CLIENT_ID: 'id',
      GOOGLE_CLIENT_SECRET: 'secret',
      GOOGLE_ISSUER: 'https://issuer.example',
      MANDATE_VAULT_KEY_PREVIOUS: 'c'.repeat(64),
      MANDATE_AUTH_THROTTLE: 'off',
      MANDATE_METRICS_TOKEN: 'm'.repeat(16),
      MANDATE_DEFAULT_PLAN: 'pro',
      MANDATE_SESSION_DAYS: '3',
      MANDATE_SESSION_IDLE_DAYS: '4',
      MANDATE_FAULTS: 'on',
      MANDATE_ACCEPT_NEW_SECRETS: 'on',
      MANDATE_PRIVATE_PLATFORMS: 'on',
      MANDATE_API_RATE: '5',
      MANDATE_SESSION_RATE: '6',
      MANDATE_EDGE_RATE: '7',
      MANDATE_HEARTBEAT_SECONDS: '8',
      MANDATE_APPROVAL_SECONDS: '10',
      MANDATE_DRAIN_SECONDS: '11',
      MANDATE_REQUEST_SECONDS: '12',
      MANDATE_UNAUTHENTICATED_SECONDS: '13',
      MANDATE_UNAUTHENTICATED_PER_CLIENT: '14',
      MANDATE_UNAUTHENTICATED_CONNECTIONS: '15',
    }
    const wanted = readConfig(every)
    const space = fc.constantFrom('', ' ', '\t', '\r', '\n', '\r\n', ' \r')
    fc.assert(
      fc.property(fc.array(fc.tuple(space, space), { minLength: 40, maxLength: 40 }), (spaces) => {
        const env = Object.entries(every).map(([name, value], at) => [name, spaces[at]?.join(value)])
        expect(readConfig(Object.fromEntries(env))).toEqual(wanted)
      }),
    )
    expect(readConfig({ PUBLIC_URL: ' \r' }).dashboardUrl).toBeNull()
  })

  test('previous vault keys are a list; private platforms are off by default', () => {
    expect(readConfig({})).toMatchObject({ previousVaultKeys: [], privatePlatforms: false })
    const [first, second] = ['c'.repeat(64), 'd'.repeat(64)]
    const given = { MANDATE_VAULT_KEY_PREVIOUS: `${first},${second}`, MANDATE_PRIVATE_PLATFORMS: 'on' }
    expect(readConfig(given)).toMatchObject({ previousVaultKeys: [first, second], privatePlatforms: true })
    expect(faultsOf({ MANDATE_VAULT_KEY_PREVIOUS: `${first},` })).toEqual([
      expect.stringMatching(/^MANDATE_VAULT_KEY_PREVIOUS: /),
    ])
  })

  test('the plan of new organizations is free unless it names another', () => {
    expect(readConfig({}).defaultPlan).toBe('free')
    expect(readConfig({ MANDATE_DEFAULT_PLAN: 'enterprise' }).defaultPlan).toBe('enterprise')
    expect(faultsOf({ MANDATE_DEFAULT_PLAN: 'gold' })).toEqual([
      'MANDATE_DEFAULT_PLAN: must be free, pro or enterprise',
    ])
  })

  test('needs nothing: the embedded database, port 8080 of the loopback, ./data', () => {
    expect(readConfig({})).toMatchObject({
      databaseUrl: undefined,
      publicUrl: 'http://127.0.0.1:8080',
      dataDir: './data',
      identity: 'embedded',
      authThrottle: true,
      faults: false,
      acceptNewSecrets: false,
    })
  })

  test('reports all errors at once, each with its variable', () => {
    const faults = faultsOf({ PORT: '70000', SMTP_URL: 'mail.example.com', DATABASE_POOL: 'many', IDENTITY: 'ldap' })
    expect(faults).toHaveLength(4)
    expect(faults).toContain('PORT: must be a whole number from 0 to 65535')
    expect(faults).toContain('SMTP_URL: must be a URL beginning with smtp:// or smtps://')
    expect(faults.map((fault) => fault.split(':')[0]).sort()).toEqual(['DATABASE_POOL', 'IDENTITY', 'PORT', 'SMTP_URL'])
  })

  test.each([
    'https://u:p@a.example',
    'https://u@a.example',
    'https://a.example/?x',
    'https://a.example/?',
    'http://a/#',
  ])('PUBLIC_URL must not be %s', (url) => {
    expect(faultsOf({ PUBLIC_URL: url })).toEqual(['PUBLIC_URL: must have no user, password, query or fragment'])
  })

  test.each(['api', 'api/v1', 'docs', 'assets', 'healthz', 'agents', 'getting-started'])(
    'PUBLIC_URL must not have the path /%s, because the server could not tell whether a proxy removed it',
    (path) => {
      const text = `PUBLIC_URL: must not have a path that begins with /${path.split('/')[0]}, which the server uses itself`
      expect(faultsOf({ PUBLIC_URL: `https://a.example/${path}` })).toEqual([text])
      expect(faultsOf({ PUBLIC_URL: `https://a.example/x/${path}` })).toEqual([])
    },
  )

  test.each(['übung', '%C3%BCbung', '%7Eops', 'a%20b', 'a b'])(
    'PUBLIC_URL must not have the path /%s, which can be written in several ways',
    (path) => {
      const text = 'PUBLIC_URL: must have a path without spaces, percent codes, and letters outside ASCII'
      expect(faultsOf({ PUBLIC_URL: `https://a.example/${path}` })).toEqual([text])
    },
  )

  test('PUBLIC_URL may have a port and a path', () => {
    expect(readConfig({ PUBLIC_URL: 'https://a.example:8443/mandate/' }).publicUrl).toBe(
      'https://a.example:8443/mandate',
    )
    expect(faultsOf({ PUBLIC_URL: 'a.example' })).toEqual([
      'PUBLIC_URL: must be a URL beginning with https:// or http://; did you mean https://a.example?',
    ])
  })

  test('requires every secret if a database is given, and reports other errors too', () => {
    const faults = faultsOf({ DATABASE_URL: 'postgresql://localhost/mandate', PORT: '-1' })
    for (const name of Object.keys(secrets)) expect(faults.some((fault) => fault.startsWith(name))).toBe(true)
    expect(faults.some((fault) => fault.startsWith('PORT'))).toBe(true)
    expect(faultsOf({ DATABASE_URL: 'postgresql://localhost/mandate', ...secrets })).toEqual([])
  })

  test('accepts only Ed25519 keys, with real or escaped line breaks', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' })
    expect(faultsOf({ MANDATE_SIGNING_KEY: rsa as string })[0]).toMatch(/^MANDATE_SIGNING_KEY: must be/)
    const escaped = signingKey.replaceAll('\n', '\\n')
    expect(readConfig({ MANDATE_SIGNING_KEY: escaped }).secrets.signingKey).toBe(signingKey)
  })

  test('accepts only previous signing keys that form a chain to the current key', () => {
    const first = { signingKey, previousSigningKeys: [] }
    const second = succeedSigningKey(first)
    const third = succeedSigningKey(second)
    const settings = (key: string, previous: readonly string[]) => ({
      MANDATE_SIGNING_KEY: key,
      MANDATE_SIGNING_KEY_PREVIOUS: previous.join(),
    })
    const given = readConfig(settings(third.signingKey, third.previousSigningKeys))
    expect(given.secrets).toMatchObject({ ...third, signingKey: third.signingKey.trim() })
    const faulty = [
      settings(signingKey, third.previousSigningKeys),
      settings(third.signingKey, third.previousSigningKeys.toReversed()),
      settings(third.signingKey, second.previousSigningKeys),
      settings(third.signingKey, ['nonsense']),
      { MANDATE_SIGNING_KEY_PREVIOUS: third.previousSigningKeys.join() },
    ]
    for (const env of faulty)
      expect(faultsOf(env)).toEqual([expect.stringMatching(/^MANDATE_SIGNING_KEY_PREVIOUS: must/)])
  })

  test('names a wrong previous signing key beside other wrong settings', () => {
    const names = (env: Record<string, string>) => faultsOf(env).map((fault) => fault.split(':')[0])
    const wrong = { PORT: 'abc', MANDATE_SIGNING_KEY_PREVIOUS: 'x' }
    expect(names(wrong)).toEqual(['PORT', 'MANDATE_SIGNING_KEY_PREVIOUS'])
    const both = ['MANDATE_SIGNING_KEY', 'MANDATE_SIGNING_KEY_PREVIOUS']
    expect(names({ ...wrong, MANDATE_SIGNING_KEY: 'y' })).toEqual(['PORT', ...both])
  })

  test('requires the settings of the identity provider that is chosen', () => {
    expect(faultsOf({ IDENTITY: 'identity-platform', GOOGLE_CLIENT_ID: 'id' })).toHaveLength(3)
  })

  test.each([
    ['0.0.0.0', 'http://localhost:8080'],
    ['::1', 'http://[::1]:8080'],
  ])('on host %s links begin with %s', (HOST, url) => {
    expect(readConfig({ HOST }).publicUrl).toBe(url)
  })

  test('an empty variable counts as absent', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' })).toMatchObject({ port: 8080, databaseUrl: undefined })
  })

  test('an operator command needs no secrets', () => {
    const url = 'postgresql://localhost/mandate'
    expect(readOperatorConfig({ DATABASE_URL: url })).toMatchObject({
      databaseUrl: url,
      dataDir: './data',
      faults: false,
    })
  })
})
