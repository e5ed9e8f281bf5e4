import fc from 'fast-check'
import { expect, it } from 'vitest'
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
  ['postgresql://h/d?port=6000', { host: 'h', port: 6000 }],
])('reads %s as psql does', (url, expected) => expect(readDatabaseUrl(url)).toMatchObject(expected))

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
  ['postgresql:///db?host=a,b', 'names several hosts'],
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
