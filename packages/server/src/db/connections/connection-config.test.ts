import { userInfo } from 'node:os'
import fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import { connectionConfig, readDatabaseUrl } from './connection-config.ts'

it('keeps what the URL says, and leaves the rest to the driver', () => {
  expect(connectionConfig('postgres://user:pass%20word@localhost:5433/mandate?sslmode=disable', { role: 'r' })).toEqual(
    {
      host: 'localhost',
      port: 5433,
      user: 'user',
      password: 'pass word',
      database: 'mandate',
      ssl: false,
      sslnegotiation: 'postgres',
      session: { role: 'r' },
    },
  )
  const options = '-c work_mem=8MB'
  expect(connectionConfig(`postgres://h/d?options=${encodeURIComponent(options)}`)).toMatchObject({ options })
})

const socket = { host: '/var/run/postgresql', user: 'user', database: 'db' }
it.each([
  ['postgresql://user@/db?host=/var/run/postgresql', socket],
  ['postgresql://user@/db?host=%2Fvar%2Frun%2Fpostgresql', socket],
  ['postgresql://user@%2Fvar%2Frun%2Fpostgresql/db', socket],
  ['postgresql:///db?host=/var/run/postgresql&user=user', socket],
  ['postgresql:///?host=/var/run/postgresql&user=user&dbname=db', socket],
  ['postgresql://localhost', { host: 'localhost', database: undefined }],
  ['postgresql://', { host: undefined, database: undefined }],
  ['postgresql://user:secret@[2001:db8::1]:5433/db', { host: '2001:db8::1', port: 5433, password: 'secret' }],
  ['postgresql://user@[fe80::1%25eth0]/db', { host: 'fe80::1%eth0' }],
  ['postgresql://user@%2Fvar%2Frun%2FPostgreSQL:5433/db', { host: '/var/run/PostgreSQL', port: 5433 }],
  ['postgresql://user@%2Fdata%2Ca%2Frun/db', { host: '/data,a/run' }],
  ['postgresql://h/d?port=6000', { host: 'h', port: 6000 }],
  ['postgresql://user:@h/d', { user: 'user', password: undefined }],
  ['postgresql://a:b@h/d?user=c&password=p+q&password=r+s', { user: 'c', password: 'r+s' }],
  ['postgresql://u:a,b@h/d', { user: 'u', password: 'a,b', host: 'h' }],
  ['postgresql://a,b:c@d,e@h/d', { user: 'a,b', password: 'c@d,e', host: 'h' }],
  ['postgresql://h/a,b', { host: 'h', database: 'a,b' }],
  ['postgresql://u:p a%2Fb@h/d', { password: 'p a/b' }],
  ['postgresql://h/d?sslmode=require&channel_binding=require&connect_timeout=5', { ssl: {} }],
  ['postgresql://h/d?sslmode=disable&%73slmode=%72equire', { ssl: {} }],
  ['postgresql://h/d?ssl=true', { ssl: {} }],
  ['postgresql://h/d?sslmode=no-verify', { ssl: { rejectUnauthorized: false } }],
  ['postgresql://h/d?sslmode=verify-full&sslrootcert=system', { ssl: {} }],
  [`postgresql://h/d?sslrootcert=${encodeURIComponent(import.meta.filename)}`, { ssl: { ca: expect.any(String) } }],
  ['postgresql://h/d?sslmode=require&sslnegotiation=direct', { ssl: {}, sslnegotiation: 'direct' }],
])('reads %s as psql does', (url, expected) => expect(readDatabaseUrl(url)).toMatchObject(expected))

it('takes the user from PGUSER or from the system, also without USER, if the URL names none', () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const USER of [undefined, 'someone-else']) {
    vi.stubEnv('USER', USER)
    vi.stubEnv('PGUSER', undefined)
    expect(connectionConfig('postgresql:///db?host=/run/postgresql').user).toBe(userInfo().username)
    vi.stubEnv('PGUSER', 'gov')
    expect(connectionConfig('postgresql:///db?host=/run/postgresql').user).toBe('gov')
    expect(connectionConfig('postgresql://own@/db?host=/run/postgresql').user).toBe('own')
  }
})

it('ignores sslmode if PGHOST names a socket', () => {
  vi.stubEnv('PGHOST', '/run/postgresql')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(readDatabaseUrl('postgresql:///db?sslmode=require')).toMatchObject({ host: undefined, ssl: false })
  expect(readDatabaseUrl('postgresql://h/db?sslmode=require')).toMatchObject({ ssl: {} })
})

it.each(['prefer', 'require', 'verify-ca', 'verify-full', 'no-verify', 'require&sslnegotiation=direct'])(
  'ignores sslmode=%s for a socket, as psql does',
  (mode) => {
    for (const place of ['/db?host=/run/postgresql&', '%2Frun%2Fpostgresql/db?'])
      expect(readDatabaseUrl(`postgresql://user@${place}sslmode=${mode}`)).toMatchObject({
        host: '/run/postgresql',
        ssl: false,
        sslnegotiation: 'postgres',
      })
  },
)

it('decodes every user, password and database', () => {
  const text = fc
    .string({ minLength: 1, unit: 'grapheme' })
    .filter((each) => each.isWellFormed() && !/^\.{1,2}$/.test(each))
  fc.assert(
    fc.property(text, text, text, fc.constantFrom('localhost', '127.0.0.1', ''), (user, password, database, host) => {
      const parts = [user, password, database].map(encodeURIComponent)
      const url = `postgresql://${parts[0]}:${parts[1]}@${host}/${parts[2]}?sslmode=disable`
      expect(readDatabaseUrl(url)).toMatchObject({ user, password, database, host: host || undefined })
    }),
  )
})

it.each([
  ['postgresql://a:5432,b:5433/db', 'names several hosts'],
  ['postgresql://u:secret@a,b/db', 'names several hosts'],
  ['postgresql:///db?host=a,b', 'names several hosts'],
  ['postgresql://h/db?host=a&host=a,b', 'names several hosts'],
  ['postgresql://h/db?port=x', 'has a port that is not from 1 to 65535'],
  ['postgresql://h:65536/db', 'has a port that is not from 1 to 65535'],
  ['postgresql://h/db?sslmod=require', 'has the parameter sslmod, which Mandate does not support'],
  ['postgresql://h/db?sslMode=require', 'has the parameter sslMode, which Mandate does not support'],
  ['postgresql://h/db?requiressl=1', 'has the parameter requiressl, which Mandate does not support'],
  ['postgresql://user:1?secret=2@h/db', 'has a parameter, which Mandate does not support'],
  ['postgresql://h/db?ssl=false', 'has ssl=false; use ssl=true or sslmode'],
  ['postgresql://h/db?gssencmode=require', 'has gssencmode=require; use sslmode=verify-full'],
  ['postgresql://h/db?channel_binding=require', 'has channel_binding=require; use sslmode=verify-full'],
  [
    'postgresql://h/db?channel_binding=require&sslmode=no-verify',
    'has channel_binding=require; use sslmode=verify-full',
  ],
  ['postgresql://h/db?gssencmode=require&sslmode=no-verify', 'has gssencmode=require; use sslmode=verify-full'],
  ['postgresql://h/db?sslnegotiation=direct', 'has sslnegotiation=direct, which needs sslmode'],
  ['postgresql://h/db?sslnegotiation=maybe', 'has sslnegotiation=maybe; use postgres or direct'],
  [
    'postgresql://h/db?sslrootcert=%2Fno%2Ffile',
    'names the file /no/file in sslrootcert, which cannot be read: ENOENT',
  ],
  ['postgresql://h/db?sslcert=%2F', 'names the file / in sslcert, which cannot be read: EISDIR'],
  ['postgresql://user:%FF@h/db', 'has percent codes that are not text in UTF-8'],
  ['postgresql://us%00er@h/db', 'has percent codes that are not text in UTF-8'],
  ['postgresql://h/db?hostaddr=10.0.0.1', 'has the parameter hostaddr, which Mandate does not support'],
  ['postgresql://h/db?sslmode=maybe', 'has sslmode=maybe; use one of'],
  ['postgresql://user:50%@h/db', 'has a % that is not followed by two hexadecimal digits'],
  ['mysql://h/db', 'must be a URL beginning with postgres:// or postgresql://'],
  ['host=h dbname=db', 'must be a URL beginning with postgres:// or postgresql://'],
  ['postgresql://user:a#b@h/db', 'is malformed'],
  ['postgresql://h:port/db', 'is malformed'],
])('%s is refused with the reason, without the password', (url, reason) => {
  expect(() => readDatabaseUrl(url)).toThrow(reason)
  expect(() => readDatabaseUrl(url)).not.toThrow(/secret|50%/)
})
