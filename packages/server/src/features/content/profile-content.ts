import { RecentValues } from '@mandate/content/recent-values'
import type { ContentBinding, HeldPattern, ProfileContent } from '@mandate/contract/content'
import { contentHash } from '@mandate/proofs/canonical'
import type { Sql } from '../../db/database.ts'
import { findSetsAt } from './binding-queries.ts'
import { heldBuiltins } from './pattern-answer.ts'
import { inOrder } from './read-sets.ts'
import { findRevisions } from './revision-queries.ts'

// A new version of the product may have other built-in patterns. Then every profile with content rules changes, so that edges fetch them.
const builtinsHash = contentHash(heldBuiltins)
const digests = new RecentValues<string>(10_000)

/** Returns the digest of content rules that is a part of `profile_hash`. `hash` is that of the stored set. */
export function contentDigest(hash: string): string {
  return digests.get(hash, () => contentHash({ builtins: builtinsHash, set: hash }))
}

/** Returns content rules with every pattern that the bindings name: the built-in ones, and those of the tenant that the set holds. */
export function contentRules(
  version: number,
  bindings: readonly ContentBinding[],
  patterns: readonly HeldPattern[],
): ProfileContent {
  const named = heldBuiltins.filter(({ id, group }) =>
    bindings.some((binding) => binding.pattern_id === id || binding.group === group),
  )
  return { version, bindings: [...bindings], patterns: [...named, ...patterns] }
}

type SetKey = { policyId: string; version: number }
const keyOf = ({ policyId, version }: SetKey) => `${policyId} ${version}`

/** Content rules and their length as JSON in bytes. */
export interface SizedContent {
  content: ProfileContent
  bytes: number
}

/** How many sets are read at once. */
const setsAtOnce = 50

/**
 * Reads the content rules of policies, each version once and in the given order, until they have `mostBytes` bytes together. The last of them may
 * exceed this. Returns a function that finds those of a policy; undefined if they were not read.
 */
export async function profileContents(db: Sql, keys: readonly SetKey[], mostBytes: number) {
  const unique = [...new Map(keys.map((key) => [keyOf(key), key])).values()]
  const found = new Map<string, SizedContent>()
  const patterns = new Map<string, HeldPattern>()
  let bytes = 0
  for (let at = 0; at < unique.length && bytes < mostBytes; at += setsAtOnce) {
    const some = unique.slice(at, at + setsAtOnce)
    const rows = new Map((await findSetsAt(db, some)).map((row) => [keyOf(row), row]))
    for (const key of some.map(keyOf)) {
      const row = rows.get(key)
      if (row === undefined || bytes >= mostBytes) continue
      // Sets of one tenant mostly hold the same patterns.
      const missing = row.hashes.filter((hash) => !patterns.has(hash))
      for (const [hash, pattern] of await findRevisions(db, missing)) patterns.set(hash, pattern)
      const content = contentRules(row.version, row.bindings, inOrder(row.hashes, patterns))
      const size = Buffer.byteLength(JSON.stringify(content))
      found.set(key, { content, bytes: size })
      bytes += size
    }
  }
  return (key: SetKey): SizedContent | undefined => found.get(keyOf(key))
}
