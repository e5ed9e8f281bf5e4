import { hash as digestOf } from 'node:crypto'
import { type DeclaredTool, mostDefinitionBytes } from '@mandate/contract/tools'
import { declaredArguments } from '@mandate/policy/declared-arguments'
import { canonicalJson } from '@mandate/proofs/canonical'
import { invalid } from '../../../refusal.ts'

/** The fields of a definition, in the order in which they are stored. */
const fields = ['name', 'title', 'description', 'input_schema', 'output_schema', 'annotations'] as const

/** A definition of a tool as it is stored. `text` is its JSON. */
export interface Definition {
  name: string
  text: string
  hash: string
  /** The names of the arguments that the input schema declares, as JSON. Null without a schema. */
  declaredArgs: string | null
}

/**
 * Returns the JSON and the hash of a definition. Absent fields are left out. `place` is the place in the report, for the error text.
 * @throws 400 for a definition that is too large, or that has a number which JSON cannot represent
 */
export function definitionOf(declared: DeclaredTool, place: number): Definition {
  const given = Object.fromEntries(
    fields.flatMap((field) => (declared[field] === undefined ? [] : [[field, declared[field]]])),
  )
  const canonical = canonicalOf(given, place)
  if (Buffer.byteLength(canonical) > mostDefinitionBytes)
    throw invalid(`tools.${place}: the definition must be at most ${mostDefinitionBytes} bytes as canonical JSON`)
  const hash = digestOf('sha256', canonical, 'hex')
  return { name: declared.name, text: JSON.stringify(given), hash, declaredArgs: argumentsOf(declared) }
}

function argumentsOf({ input_schema: schema }: DeclaredTool): string | null {
  const names = declaredArguments(schema)
  return names && JSON.stringify([...names])
}

function canonicalOf(given: object, place: number): string {
  try {
    return canonicalJson(given)
  } catch {
    throw invalid(`tools.${place}: the definition has a number that is too large`)
  }
}
