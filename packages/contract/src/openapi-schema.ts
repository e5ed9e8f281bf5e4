import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

export interface SchemaWriter {
  /** The JSON Schema of a schema; named ones are referred to. */
  write(schema: z.ZodType): JsonSchema
  /** Every named schema referred to so far. */
  shared(): Record<string, JsonSchema>
}

/** Writes schemas as JSON Schema 2020-12, collecting the named ones for `#/components/schemas`. */
export function createSchemaWriter(): SchemaWriter {
  const shared = new Map<string, JsonSchema>()
  return {
    write(schema) {
      const written = z.toJSONSchema(schema, {
        // What goes in says more than what comes out: fields are declared on strings and only then normalised.
        io: 'input',
        unrepresentable: 'any',
        override: ({ jsonSchema }) => tidy(jsonSchema as JsonSchema),
      }) as JsonSchema
      const { $schema: _, $defs = {}, ...own } = written
      for (const [name, definition] of Object.entries($defs as Record<string, JsonSchema>)) {
        shared.set(name, refersToComponents(definition))
      }
      const root = refersToComponents(own)
      if (typeof root.id !== 'string') return root
      const { id, ...named } = root
      shared.set(id, withoutIds(named))
      return { $ref: `#/components/schemas/${id}` }
    },
    shared: () =>
      Object.fromEntries([...shared].sort(([a], [b]) => (a < b ? -1 : 1)).map(([n, s]) => [n, withoutIds(s)])),
  }
}

/** Query parameters are parsed from text: where a number is declared, the text's pattern says nothing more. */
function tidy(schema: JsonSchema): void {
  if (schema.type === 'integer') delete schema.pattern
  if (schema.type === 'integer' && schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.type === 'integer' && schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.format === 'uuid' || schema.format === 'date-time') delete schema.pattern
}

function withoutIds({ id: _, ...schema }: JsonSchema): JsonSchema {
  return schema
}

function refersToComponents(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')
  return JSON.parse(text) as JsonSchema
}
