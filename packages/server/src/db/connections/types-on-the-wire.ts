import pg from 'pg'

const timestamptz = 1184
const int8 = 20

/**
 * Converts PostgreSQL values to JavaScript values. `timestamptz(3)` becomes ISO 8601 with milliseconds and `Z`, because
 * connections use UTC. `bigint` becomes a number, because counts and sequence numbers stay far below 2^53.
 */
export const wireTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === timestamptz) return isoTimestamp
    if (oid === int8) return Number
    return format === undefined ? pg.types.getTypeParser(oid) : pg.types.getTypeParser(oid, format as 'text')
  },
} as pg.CustomTypesConfig

/** Converts `2026-01-02 03:04:05.6+00` to `2026-01-02T03:04:05.600Z`. */
export function isoTimestamp(text: string): string {
  const [date = '', time = ''] = text.slice(0, -3).split(' ')
  const [seconds = '', fraction = ''] = time.split('.')
  return `${date}T${seconds}.${fraction.padEnd(3, '0')}Z`
}
