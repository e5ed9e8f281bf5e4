/**
 * Lets PostgreSQL write JSON as text. For a row of many columns one `concat` takes about half as long as `json_build_object`
 * or `row_to_json`; in return every field says how it is written.
 */
export type JsonText = readonly Piece[]

/** Text as it stands, or an SQL expression whose text is put there. An expression is never null. */
type Piece = { readonly literal: string } | { readonly sql: string }

const quote: Piece = { literal: '"' }

/** A value with nothing in it to escape, never null: a UUID, one of an enum. */
export const word = (expression: string): JsonText => [quote, { sql: expression }, quote]

/** As `word`; null becomes `null`. */
export const wordOrNull = (expression: string): JsonText => [
  { sql: `coalesce('"' || (${expression})::text || '"', 'null')` },
]

/** A number, a boolean, JSON; null becomes `null`. */
export const bareOrNull = (expression: string): JsonText => [{ sql: `coalesce((${expression})::text, 'null')` }]

const isoTime = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** A timestamp in ISO 8601, UTC, with milliseconds; never null. */
export const time = (column: string): JsonText => word(isoTime(column))

/** As `time`; null becomes `null`. */
export const timeOrNull = (column: string): JsonText => wordOrNull(isoTime(column))

export const object = (fields: Record<string, JsonText>): JsonText => {
  const [first, ...others] = Object.entries(fields).flatMap(([name, value]) => namedField(name, value))
  const start = first && 'literal' in first ? first.literal.slice(1) : ''
  return [{ literal: `{${start}` }, ...others, { literal: '}' }]
}

/** Fields that follow others in an object that is open. */
export const fieldsAfter = (fields: Record<string, JsonText>): JsonText =>
  Object.entries(fields).flatMap(([name, value]) => namedField(name, value))

const namedField = (name: string, value: JsonText): JsonText => [{ literal: `,"${name}":` }, ...value]

/** An object that is `null` unless `condition` holds. */
export const objectIf = (condition: string, fields: Record<string, JsonText>): JsonText => [
  { sql: `case when ${condition} then ${toSql(object(fields))} else 'null' end` },
]

/** The SQL expression that writes it. */
export function toSql(json: JsonText): string {
  const pieces: string[] = []
  let literal = ''
  for (const piece of [...json, { sql: '' }]) {
    if ('literal' in piece) {
      literal += piece.literal
      continue
    }
    if (literal !== '') pieces.push(`'${literal}'`)
    if (piece.sql !== '') pieces.push(piece.sql)
    literal = ''
  }
  return `concat(${pieces.join(', ')})`
}
