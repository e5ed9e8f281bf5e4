import { escapeHtml } from '../answers/html.ts'

type Schema = Record<string, unknown>

/**
 * Returns one table row for each field of a schema, with name, type and description. Nested fields have names such as
 * `parts[].name`. If the type of a field is a named schema, the row links to that schema.
 */
export function rowsOf(schema: Schema, prefix = ''): string[][] {
  const { properties, required = [] } = schema as { properties?: Record<string, Schema>; required?: string[] }
  return Object.entries(properties ?? {}).flatMap(([name, its]) => {
    const at = prefix + name
    const optional = required.includes(name) ? '' : 'optional<br>'
    const row = [`<code>${escapeHtml(at)}</code>`, optional + describeType(its), markUp(String(its.description ?? ''))]
    return [row, ...choicesOf(its).flatMap((choice) => rowsBelow(choice, at))]
  })
}

function rowsBelow(schema: Schema, at: string): string[][] {
  if (schema.type === 'array')
    return choicesOf((schema.items ?? {}) as Schema).flatMap((item) => rowsBelow(item, `${at}[]`))
  return rowsOf(schema, `${at}.`)
}

/**
 * Returns the alternatives of a schema (`anyOf` or `oneOf`). For a schema without alternatives, the list contains only the
 * schema itself.
 */
function choicesOf(schema: Schema): Schema[] {
  return (schema.anyOf ?? schema.oneOf ?? [schema]) as Schema[]
}

/** Describes the type of a schema in HTML. */
export function describeType(schema: Schema): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
    return `<a href="#schema-${slug(name)}">${escapeHtml(name)}</a>`
  }
  if (Array.isArray(schema.allOf)) return describeParts(schema.allOf as Schema[])
  const choices = choicesOf(schema)
  if (choices.length > 1) return choices.map(describeType).join(' or ')
  if (Array.isArray(schema.enum)) return schema.enum.map(codeOf).join(' | ') + defaultOf(schema)
  if (schema.const !== undefined) return codeOf(schema.const)
  if (schema.type === 'array') return `list of ${describeType((schema.items ?? {}) as Schema)}${rangeOf(schema)}`
  return escapeHtml(String(schema.format ?? schema.type ?? 'any JSON value')) + rangeOf(schema) + defaultOf(schema)
}

/** Describes a schema that consists of a named schema and more fields, such as `Policy, with names`. */
function describeParts(parts: readonly Schema[]): string {
  const more = parts.flatMap(({ properties }) => Object.keys(properties ?? {}))
  const named = parts.filter(({ properties }) => properties === undefined).map(describeType)
  return `${named.join(' and ')}${more.length > 0 ? `, with ${more.map(codeOf).join(', ')}` : ''}`
}

function rangeOf(schema: Schema): string {
  const from = schema.minLength ?? schema.minimum ?? schema.minItems
  const to = schema.maxLength ?? schema.maximum ?? schema.maxItems
  const unit = schema.type === 'string' ? ' characters' : ''
  if (from !== undefined && to !== undefined) return `, ${from} to ${to}${unit}`
  if (to !== undefined) return `, at most ${to}${unit}`
  return from === undefined ? '' : `, at least ${from}${unit}`
}

const defaultOf = ({ default: value }: Schema) => (value === undefined ? '' : `, default ${codeOf(value)}`)
const codeOf = (value: unknown) => `<code>${escapeHtml(String(value))}</code>`

export function table(rows: string[][]): string {
  return `<table>${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</table>`
}

export const slug = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

/** Escapes a description from the OpenAPI document for HTML. Text in back quotes becomes a `code` element. */
export const markUp = (text: string) => escapeHtml(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>')
