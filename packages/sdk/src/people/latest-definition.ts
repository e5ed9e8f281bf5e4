import type { Schema } from '../operation.ts'

type Declared = Pick<Schema<'ToolWithDefinitions'>, 'latest_hash' | 'declared_hashes' | 'definitions'>

/**
 * Returns why the latest definition of a tool may not be the one that a person means, and the hashes to choose from: the last one to declare a
 * definition chooses the latest one. Undefined if nobody could choose it in place of the person.
 */
export function doubtOfLatest({ latest_hash: latest, declared_hashes, definitions }: Declared) {
  const others = declared_hashes.flatMap(({ hash, pinned }) => (hash === latest || pinned ? [] : [hash]))
  if (others.length > 0) return { why: 'its declarers differ', hashes: [latest, ...others] }
  const isOfEdge = declared_hashes.some(({ hash, by_edge }) => hash === latest && by_edge)
  if (isOfEdge || definitions.length === 1) return undefined
  const why = 'it has several definitions, and no edge declared the latest one in the last 24 hours'
  return { why, hashes: definitions.map(({ hash }) => hash) }
}
