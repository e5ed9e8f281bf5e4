import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

export interface SchemaWriter {
  /** Converts a schema to JSON Schema. Named schemas become references. */
  write(schema: z.ZodType): JsonSchema
  /** Returns every named schema that was referenced so far. */
  shared(): Record<string, JsonSchema>
}

/** Converts schemas to JSON Schema 2020-12, and collects named schemas for `#/components/schemas`. */
export function createSchemaWriter(): SchemaWriter {
  const shared = new Map<string, JsonSchema>()
  return {
    write(schema) {
      const written = z.toJSONSchema(schema, {
        // The input side of a schema contains the constraints. The output side only has the type after transformation.
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

/** Removes the text pattern of a numeric query parameter, because its declared number type is enough. */
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
