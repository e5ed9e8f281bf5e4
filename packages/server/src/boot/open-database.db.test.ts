import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { pino } from 'pino'
import { expect, inject, it, onTestFinished } from 'vitest'
import { readConfig } from '../config.ts'
import { createSelfSignedCertificate } from '../identity/testing/self-signed-certificate.ts'
import { queryOnce, withDatabase } from '../testing/database-urls.ts'
import { startTransactionPooler } from '../testing/transaction-pooler.ts'
import { openDatabase } from './open-database.ts'

it.each(['SQL_ASCII', 'LATIN1'])('a database with the encoding %s is refused with the remedy', async (encoding) => {
  const ownerUrl = inject('ownerUrl')
  const name = `test_${randomBytes(8).toString('hex')}`
  await queryOnce(ownerUrl, `create database ${name} template template0 encoding '${encoding}' locale 'C'`)
  try {
    const config = { ...readConfig({}), databaseUrl: withDatabase(ownerUrl, name) }
    await expect(openDatabase(config, pino({ level: 'silent' }))).rejects.toThrow(
      `has the encoding ${encoding}, which cannot store every text; create it with the encoding UTF8`,
    )
  } finally {
    await queryOnce(ownerUrl, `drop database ${name}`)
  }
})

it('a certificate that is not trusted or is for another name is refused with the remedy of each', async () => {
  const { privateKey: key, certificate: cert } = createSelfSignedCertificate('db.example')
  const folder = await mkdtemp(join(tmpdir(), 'mandate-certificate-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'ca.pem'), cert)
  const server = createServer((socket) => {
    socket.on('error', () => {})
    // The client first asks whether the server encrypts. The answer `S` means yes.
    socket.once('data', () => {
      socket.write('S')
      new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => {})
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const open = (query: string) => {
    const databaseUrl = `postgresql://u:p@localhost:${port}/d?${query}`
    return openDatabase({ ...readConfig({}), databaseUrl }, pino({ level: 'silent' }))
  }
  await expect(open('sslmode=require')).rejects.toThrow(
    /is not trusted .* Name the certificate .* with sslrootcert=FILE/,
  )
  await expect(open(`sslmode=require&sslrootcert=${folder}/ca.pem`)).rejects.toThrow(
    /is for another name .* Use a name of the certificate in DATABASE_URL/,
  )
})

it.each([
  ['in transaction mode', 10, 'leads to a connection pooler in transaction mode'],
  ['with one session', 1, 'does not give Mandate two sessions at once'],
])('a connection pooler %s is refused with the remedy', async (_, mostClients, message) => {
  const pooler = await startTransactionPooler(inject('ownerUrl'), mostClients)
  onTestFinished(pooler.stop)
  const databaseUrl = `postgresql://u:p@127.0.0.1:${pooler.port}/d?sslmode=disable`
  await expect(openDatabase({ ...readConfig({}), databaseUrl }, pino({ level: 'silent' }))).rejects.toThrow(message)
})
