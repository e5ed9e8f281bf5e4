/**
 * Lets PostgreSQL write JSON as text. For a row of many columns one `concat` takes about half as long as `json_build_object`
 * or `row_to_json`; in return every field says how it is written.
 */
export type JsonText = readonly Piece[]

/** Text as it stands, or an SQL expression whose text is put there. An expression is never null. */
type Piece = { readonly literal: string } | { readonly sql: string }

const quote: Piece = { literal: '"' }

/** Text of any content, never null. */
export const text = (column: string): JsonText => [{ sql: `to_json(${column})` }]

/** A value with nothing in it to escape, never null: a UUID, one of an enum. */
export const word = (expression: string): JsonText => [quote, { sql: expression }, quote]

/** As `word`; null becomes `null`. */
export const wordOrNull = (expression: string): JsonText => [
  { sql: `coalesce('"' || (${expression})::text || '"', 'null')` },
]

/** A number, JSON, never null. */
export const bare = (expression: string): JsonText => [{ sql: expression }]

/** A number or a boolean; null becomes `null`. */
export const bareOrNull = (expression: string): JsonText => [{ sql: `coalesce((${expression})::text, 'null')` }]

/** An array of text, never null. */
export const texts = (column: string): JsonText => [{ sql: `array_to_json(${column})` }]

const isoTime = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** A timestamp in ISO 8601, UTC, with milliseconds; never null. */
export const time = (column: string): JsonText => word(isoTime(column))

/** As `time`; null becomes `null`. */
export const timeOrNull = (column: string): JsonText => wordOrNull(isoTime(column))

/** An array of what a subquery finds, as `item` writes it. */
export const arrayOf = (item: JsonText, from: string): JsonText => [
  { literal: '[' },
  { sql: `array_to_string(array(select ${toSql(item)} ${from}), ',')` },
  { literal: ']' },
]

export function object(fields: Record<string, JsonText>): JsonText {
  const written = Object.entries(fields).flatMap(
    ([name, value], at): JsonText => [{ literal: `${at === 0 ? '{' : ','}"${name}":` }, ...value],
  )
  return [...written, { literal: '}' }]
}

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
