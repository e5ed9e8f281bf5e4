/**
 * Defines the JSON of a row as a list of pieces. The definition can be written in two ways, which give the same text. With
 * `toSql`, PostgreSQL writes the JSON; this is the fastest way for many rows. With `toColumns`, this process writes the JSON from
 * the row's columns; this is the fastest way for one row. The SQL uses `format`, because for a row with many columns
 * `json_build_object` and `row_to_json` take about twice as long, and `concat` takes a tenth longer. But `%s` of `format` does not
 * quote values, so each field must say how its value is written.
 */
export type JsonText = readonly Piece[]

export type Piece = Literal | Value | Known | UnlessNull

/** Constant text that is copied into the JSON unchanged. */
interface Literal {
  readonly literal: string
}

/**
 * An SQL expression whose value is written into the JSON: text, a number, a boolean, a UUID or a timestamp. A value of a JSON
 * type must be cast to text.
 */
interface Value {
  readonly value: string
  readonly isTime?: boolean
  /** If true, special characters are escaped, and null is written as `null`. */
  readonly isText?: boolean
  /**
   * How null is written. If `orNull` is set, null is written as `null`. Other values are written in quotes for `quoted` and
   * without quotes for `bare`. If `orNull` is not set, null is written as an empty text.
   */
  readonly orNull?: 'bare' | 'quoted'
}

/**
 * A value that is not read from the row. With `toColumns`, the caller passes the value under the name `known`. With `toSql`,
 * PostgreSQL computes the value from the expression `sql`.
 */
interface Known {
  readonly known: string
  readonly sql: string
}

/**
 * A part of the JSON that can be null. If the SQL expression `unlessNull` is null, `null` is written. Otherwise, `json` is
 * written.
 */
interface UnlessNull {
  readonly unlessNull: string
  readonly json: JsonText
}

const quoted = (piece: Piece): JsonText => [{ literal: '"' }, piece, { literal: '"' }]

/** A string field for a value that is never null and needs no escaping, such as a UUID or an enum value. */
export const word = (value: string): JsonText => quoted({ value })

/** Like `word`, but the value may be null. Null is written as `null`, without quotes. */
export const wordOrNull = (value: string): JsonText => [{ value, orNull: 'quoted' }]

/** A string field for any text. Special characters are escaped. Null is written as `null`. */
export const text = (value: string): JsonText => [{ value, isText: true }]

/** A value without quotes that is never null: a number, a boolean, or JSON as text. */
export const bare = (value: string): JsonText => [{ value }]

/** Like `bare`, but the value may be null. Null is written as `null`. */
export const bareOrNull = (value: string): JsonText => [{ value, orNull: 'bare' }]

/** A `timestamptz` that is never null, written as ISO 8601 in UTC with milliseconds. */
export const time = (value: string): JsonText => quoted({ value, isTime: true })

/** Like `time`, but the value may be null. Null is written as `null`, without quotes. */
export const timeOrNull = (value: string): JsonText => [{ value, isTime: true, orNull: 'quoted' }]

/**
 * A string field whose value is known without reading a row, such as the time of the request. For `toColumns`, the value must
 * be in `known[name]` when the JSON is written. For `toSql`, PostgreSQL computes the value from the expression `sql`.
 */
export const knownWord = (name: string, sql: string): JsonText => quoted({ known: name, sql })

/** Like `knownWord`, for a value of any kind. The caller passes it as JSON. PostgreSQL writes it as `json` says. */
export const known = (name: string, json: JsonText): JsonText => [{ known: name, sql: toSql(json) }]

/**
 * A JSON array. `items` is an SQL expression for the JSON of the items, joined by commas. If `items` is null, the array is
 * empty.
 */
export const list = (items: string): JsonText => [{ literal: '[' }, { value: items }, { literal: ']' }]

export const object = (fields: Record<string, JsonText>): JsonText => {
  const [first, ...others] = Object.entries(fields).flatMap(([name, value]) => namedField(name, value))
  const start = first && 'literal' in first ? first.literal.slice(1) : ''
  return [{ literal: `{${start}` }, ...others, { literal: '}' }]
}

/** Writes fields that are appended to the fields of an object. A comma is written before each field. */
export const fieldsAfter = (fields: Record<string, JsonText>): JsonText =>
  Object.entries(fields).flatMap(([name, value]) => namedField(name, value))

const namedField = (name: string, value: JsonText): JsonText => [{ literal: `,"${name}":` }, ...value]

/** Writes `null` if the SQL expression `value` is null. Otherwise writes an object with `fields`. */
export const objectUnlessNull = (value: string, fields: Record<string, JsonText>): JsonText => [
  { unlessNull: value, json: object(fields) },
]

/** Joins literals that follow each other into one. */
export function joined(json: JsonText): JsonText {
  const pieces: Piece[] = []
  for (const piece of json) {
    const last = pieces.at(-1)
    if (last && 'literal' in last && 'literal' in piece)
      pieces[pieces.length - 1] = { literal: last.literal + piece.literal }
    else pieces.push(piece)
  }
  return pieces
}

/** Returns the SQL expression that writes the JSON. */
export function toSql(json: JsonText): string {
  const pieces = joined(json)
  const [first] = pieces
  if (first && pieces.length === 1 && !('literal' in first)) return valueToSql(first)
  const form = pieces.map((piece) => ('literal' in piece ? piece.literal.replaceAll('%', '%%') : '%s')).join('')
  const values = pieces.flatMap((piece) => ('literal' in piece ? [] : [valueToSql(piece)]))
  return `format(${[`'${form}'`, ...values].join(', ')})`
}

function valueToSql(piece: Exclude<Piece, Literal>): string {
  if ('known' in piece) return piece.sql
  if ('unlessNull' in piece)
    return `case when ${piece.unlessNull} is not null then ${toSql(piece.json)} else 'null' end`
  if (piece.isText) return `coalesce(to_json(${piece.value})::text, 'null')`
  const text = piece.isTime ? isoTime(piece.value) : piece.value
  if (piece.orNull === undefined) return text
  return piece.orNull === 'quoted'
    ? `coalesce('"' || (${text})::text || '"', 'null')`
    : `coalesce((${text})::text, 'null')`
}

const isoTime = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
