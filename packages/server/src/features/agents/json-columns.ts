import { type JsonText, joined, type Piece } from './json-text.ts'

/** A row of the columns that `select` names, as the connection reads them (`db/types-on-the-wire.ts`). */
export type JsonRow = Readonly<Record<string, unknown>>

/**
 * JSON that this process writes. For a single row PostgreSQL takes longer to make ready an expression that writes than this process
 * takes to write.
 */
export interface JsonColumns {
  /** The select list of the values. */
  readonly select: string
  /** The JSON of a row, the same text as `toSql` makes of it; `known` has what is not read. */
  write(row: JsonRow, known: Readonly<Record<string, string>>): string
  /** The row of values that need not be read, by their expressions; the others are null. @throws for an expression that is none */
  rowOf(values: Readonly<Record<string, unknown>>): JsonRow
}

type Write = JsonColumns['write']

/** Compiles to the columns of the values, each of them once, and to what writes the JSON from them. */
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
      if (unknown.length > 0) throw new Error(`no such value: ${unknown}`)
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
  const quote = piece.orNull === 'quoted' ? '"' : ''
  const absent = piece.orNull === undefined ? '' : 'null'
  return (row) => (row[column] === null ? absent : `${quote}${row[column]}${quote}`)
}
