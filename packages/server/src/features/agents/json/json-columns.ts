import { type JsonText, joined, type Piece } from './json-text.ts'

/** A row with the columns of `select`, in the formats of `db/connections/types-on-the-wire.ts`. */
export type JsonRow = Readonly<Record<string, unknown>>

/**
 * Reads a row's values as columns and writes the JSON in this process. This is faster for a single row: PostgreSQL needs more
 * time to plan an expression that writes JSON than this process needs to write it.
 */
export interface JsonColumns {
  /** The select list that reads the values. */
  readonly select: string
  /**
   * Writes the JSON of a row. The text is the same as the text that `toSql` writes. `known` contains the values that are not in
   * the row. Its keys are the names that were passed to `knownWord`.
   */
  write(row: JsonRow, known: Readonly<Record<string, string>>): string
  /**
   * Makes a row for `write` without running a query. A key of `values` is an SQL expression of the JSON; its value is the
   * result of this expression. Expressions without a value are null.
   * @throws Error if the JSON does not contain one of the expressions
   */
  rowOf(values: Readonly<Record<string, unknown>>): JsonRow
}

type Write = JsonColumns['write']

/**
 * Returns a select list and a function. The select list reads every value of the JSON once. The function writes the JSON from a
 * row.
 */
export function toColumns(json: JsonText): JsonColumns {
  const columns = new Map<string, string>()
  const columnOf = (expression: string) => {
    const name = columns.get(expression) ?? `c${columns.size}`
    columns.set(expression, name)
    return name
  }
  const write = writerOf(json, columnOf)
  return {
    select: Array.from(columns, ([expression, name]) => `${expression} as ${name}`).join(', '),
    write,
    rowOf(values) {
      const unknown = Object.keys(values).filter((expression) => !columns.has(expression))
      if (unknown.length > 0) throw new Error(`the JSON does not contain these SQL expressions: ${unknown}`)
      return Object.fromEntries(Array.from(columns, ([expression, name]) => [name, values[expression] ?? null]))
    },
  }
}

function writerOf(json: JsonText, columnOf: (expression: string) => string): Write {
  const writers = joined(json).map((piece) => pieceWriter(piece, columnOf))
  return (row, known) => {
    let text = ''
    for (const write of writers) text += write(row, known)
    return text
  }
}

function pieceWriter(piece: Piece, columnOf: (expression: string) => string): Write {
  if ('literal' in piece) return () => piece.literal
  if ('known' in piece) return (_, known) => known[piece.known] as string
  if ('unlessNull' in piece) {
    const [column, write] = [columnOf(piece.unlessNull), writerOf(piece.json, columnOf)]
    return (row, known) => (row[column] === null ? 'null' : write(row, known))
  }
  const column = columnOf(piece.value)
  if (piece.isText) return (row) => JSON.stringify(row[column])
  const quote = piece.orNull === 'quoted' ? '"' : ''
  const absent = piece.orNull === undefined ? '' : 'null'
  return (row) => (row[column] === null ? absent : `${quote}${row[column]}${quote}`)
}
