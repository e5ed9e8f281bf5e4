import pg from 'pg'
import { expect, it } from 'vitest'
import { connectionConfig } from './connection-config.ts'

const url = 'postgres://user:pass%20word@localhost:5432/mandate'

/** The options that the driver sends to PostgreSQL. If a setting is there twice, the last one counts. */
const sentOptions = (config: pg.ClientConfig) =>
  (new pg.Client(config) as unknown as { connectionParameters: { options: string } }).connectionParameters.options

it('sets the time zone of the session to UTC', () => {
  expect(sentOptions(connectionConfig(url))).toBe('-c TimeZone=UTC')
  expect(sentOptions(connectionConfig(url, '-c role=mandate_app'))).toBe('-c TimeZone=UTC -c role=mandate_app')
})

it('keeps the options of the URL, and its own settings win', () => {
  const options = encodeURIComponent('-c search_path=public -c TimeZone=Europe/Berlin')
  const config = connectionConfig(`${url}?options=${options}&sslmode=disable`, '-c role=mandate_app')
  expect(sentOptions(config)).toBe(
    '-c search_path=public -c TimeZone=Europe/Berlin -c TimeZone=UTC -c role=mandate_app',
  )
  expect(config.connectionString).toBe(`${url}?sslmode=disable`)
})
