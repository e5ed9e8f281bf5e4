import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { expect, inject, it } from 'vitest'
import { readConfig } from '../config.ts'
import { queryOnce, withDatabase } from '../testing/database-urls.ts'
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
