import type pg from 'pg'

/**
 * The configuration of a connection to the database at `url`. Every session uses UTC, because the time zone of the database may be any
 * other, and months and days of SQL statements depend on it. `settings` are more settings of the session, each as `-c name=value`. They
 * replace settings of the URL.
 */
export function connectionConfig(url: string, settings = ''): pg.ClientConfig {
  const parsed = new URL(url)
  const ofUrl = parsed.searchParams.get('options')
  const options = ['-c TimeZone=UTC', settings].filter(Boolean).join(' ')
  if (ofUrl === null) return { connectionString: url, options }
  // The driver prefers the options of a URL to the options of its configuration.
  parsed.searchParams.delete('options')
  return { connectionString: parsed.href, options: `${ofUrl} ${options}` }
}
