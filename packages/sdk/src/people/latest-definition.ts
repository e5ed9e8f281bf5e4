import type { Schema } from '../operation.ts'

type Declared = Pick<Schema<'ToolWithDefinitions'>, 'latest_hash' | 'declared_hashes' | 'definitions'>

/**
 * Returns why the latest definition of a tool may not be the definition that a person means, and the hashes to choose from. The newest declaration
 * sets the latest definition, also if an agent with a key of its own declares it. Returns undefined if there is no such doubt.
 */
export function doubtOfLatest({ latest_hash: latest, declared_hashes, definitions }: Declared) {
  const others = declared_hashes.flatMap(({ hash, pinned }) => (hash === latest || pinned ? [] : [hash]))
  if (others.length > 0)
    return { why: 'edges or agents declare different definitions of it', hashes: [latest, ...others] }
  const isOfEdge = declared_hashes.some(({ hash, by_edge }) => hash === latest && by_edge)
  if (isOfEdge || definitions.length === 1) return undefined
  const why = 'it has several definitions, and no edge declared the latest one in the last 24 hours'
  return { why, hashes: definitions.map(({ hash }) => hash) }
}
