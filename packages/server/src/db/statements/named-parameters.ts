import { sql as fragment, type RawBuilder } from 'kysely'
import { type RawStatement, statementName } from './statement.ts'

/**
 * SQL with named parameters such as `:userId`. It is either a statement whose rows have type `Type`, or an expression of type
 * `Type`.
 */
export interface NamedSql<Type> {
  text: string
  /** Never set. Exists only to carry the type. */
  type?: Type
}

export const namedSql = <Type>(text: string): NamedSql<Type> => ({ text })

/** The values of the named parameters. Null is allowed as a value. Undefined is not. */
export type NamedValues = Readonly<Record<string, unknown>>

// A colon in quoted text or in a cast (`::uuid`) does not start a parameter.
const tokens = /'[^']*'|"[^"]*"|::|:([a-z]\w*)/gi

/** Splits SQL text at its named parameters. */
function split(text: string) {
  const parts: string[] = []
  const names: string[] = []
  let end = 0
  for (const token of text.matchAll(tokens)) {
    const [whole, name] = token
    if (name === undefined) continue
    parts.push(text.slice(end, token.index))
    names.push(name)
    end = token.index + whole.length
  }
  parts.push(text.slice(end))
  return { parts: Object.assign(parts, { raw: parts }), names }
}

function valuesOf(names: readonly string[], values: NamedValues): unknown[] {
  const found: unknown[] = []
  for (const name of names) {
    const value = values[name]
    if (value === undefined) throw new Error(`the parameter :${name} has no value`)
    found.push(value)
  }
  return found
}

/**
 * Splits the SQL text at its parameters once, and returns a function that fills in the values. The result of this function is a
 * fragment for the query builder.
 */
export function namedFragment<Type>({ text }: NamedSql<Type>): (values: NamedValues) => RawBuilder<Type> {
  const { parts, names } = split(text)
  return (values) => fragment<Type>(parts, ...valuesOf(names, values))
}

/**
 * Splits the SQL text at its parameters, computes the name of the prepared statement, and returns a function that fills in the
 * values. The text is split only once, because splitting a long text for every request would cost as much time as running it.
 */
export function namedStatement<Row>({ text: named }: NamedSql<Row>): (values: NamedValues) => RawStatement<Row> {
  const { parts, names } = split(named)
  // Each use of a parameter gets a number of its own, because PostgreSQL gives each number only one type and uses may need
  // different types.
  const text = parts.reduce((before, part, at) => `${before}$${at}${part}`)
  const name = statementName(text)
  return (values) => ({ name, text, values: valuesOf(names, values) })
}
