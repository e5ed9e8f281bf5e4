import { builtinGroups, builtinPattern } from '@mandate/content/builtin/catalogue'
import type { ContentBinding, HeldPattern } from '@mandate/contract/content'
import { canonicalJson, contentHash } from '@mandate/proofs/canonical'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { invalid } from '../../refusal.ts'
import {
  findBoundPolicies,
  findCurrentSet,
  lockPoliciesWithSet,
  type NewBindingSet,
  storeSets,
} from './binding-queries.ts'
import { definitionOf, heldPattern } from './pattern-answer.ts'
import { findPatterns } from './pattern-queries.ts'
import { type Revision, revisionOf, storeRevisions } from './revision-queries.ts'

/** What a policy gets when data-loss prevention is turned on and it has no bindings. */
export const defaultBindings: readonly ContentBinding[] = [
  { group: 'secrets', on: 'results', action: 'redact' },
  { group: 'secrets', on: 'arguments', action: 'require_approval' },
]

interface SavedPolicy {
  id: string
  name: string
  environment_id: string | null
}

/** How many policies get a new version of their bindings at once. */
const policiesAtOnce = 50
const firstId = '00000000-0000-0000-0000-000000000000'

/**
 * Saves the next version of the bindings of a policy, whose row is locked, and returns its number. Saves nothing if the current version has the
 * same bindings and patterns. Call `keepPatterns` before.
 * @throws 400 for a pattern or a group that does not exist
 */
export async function saveSet(
  tx: Tx,
  ctx: Ctx<Member>,
  policy: SavedPolicy,
  bindings: readonly ContentBinding[],
): Promise<number> {
  const all = await heldOfTenant(tx)
  checkReferences(bindings, all, 'bindings')
  const held = heldByBindings(bindings, all).map(revisionOf)
  const before = await findCurrentSet(tx, policy.id)
  const version = (before?.version ?? 0) + 1
  const set = newSet(ctx, policy.id, version, bindings, held)
  if (before && before.version > 0 && isSameSet(before, set)) return before.version
  await storeRevisions(tx, held)
  await storeSets(tx, [set])
  await recordSet(tx, ctx, policy, version)
  return version
}

type Contents = Pick<NewBindingSet, 'bindings' | 'hashes'>

const isSameSet = (one: Contents, other: Contents) =>
  canonicalJson([one.bindings, one.hashes]) === canonicalJson([other.bindings, other.hashes])

/**
 * Saves a new version of each set of bindings that names the pattern or one of the groups, after the pattern changed. Reads some policies at a
 * time.
 */
export async function saveSetsOf(
  tx: Tx,
  ctx: Ctx<Member>,
  patternId: string,
  groups: readonly string[],
): Promise<void> {
  await lockPoliciesWithSet(tx, patternId, groups)
  const all = (await heldOfTenant(tx)).map(revisionOf)
  for (let after = firstId; ; ) {
    const policies = await findBoundPolicies(tx, { patternId, groups, after, most: policiesAtOnce })
    const last = policies.at(-1)
    if (last === undefined) return
    after = last.id
    const held = policies.map(({ bindings }) => all.filter(({ pattern }) => isHeldBy(bindings, pattern)))
    const sets = policies.map(({ id, version, bindings }, index) =>
      newSet(ctx, id, version + 1, bindings, held[index] ?? []),
    )
    const [first, ...others] = sets
    if (first === undefined) return
    await storeRevisions(tx, [...new Set(held.flat())])
    await storeSets(tx, [first, ...others])
    await Promise.all(policies.map((policy) => recordSet(tx, ctx, policy, policy.version + 1)))
  }
}

/** Returns the patterns of the tenant. */
export async function heldOfTenant(db: Sql): Promise<HeldPattern[]> {
  return (await findPatterns(db)).map((row) => heldPattern(definitionOf(row)))
}

/** Returns the patterns that bindings name by their id or by their group. */
export function heldByBindings(bindings: readonly ContentBinding[], all: readonly HeldPattern[]): HeldPattern[] {
  return all.filter((pattern) => isHeldBy(bindings, pattern))
}

function isHeldBy(bindings: readonly ContentBinding[], { id, group }: HeldPattern): boolean {
  return bindings.some((binding) => binding.pattern_id === id || binding.group === group)
}

function newSet(
  ctx: Ctx<Member>,
  policyId: string,
  version: number,
  bindings: readonly ContentBinding[],
  held: readonly Revision[],
): NewBindingSet {
  const { userId: user_id, displayName: display_name, email } = ctx.actor
  const hashes = held.map(({ hash }) => hash)
  const own = bindings.map(withoutUndefined)
  return {
    bindings: own,
    hashes,
    version,
    policyId,
    contentHash: contentHash({ bindings: own, patterns: hashes, version }),
    savedBy: { user_id, display_name, email },
    savedAt: ctx.now,
  }
}

function withoutUndefined({ pattern_id, group, on, action, label }: ContentBinding): ContentBinding {
  return {
    ...(pattern_id !== undefined && { pattern_id }),
    ...(group !== undefined && { group }),
    on,
    action,
    ...(label !== undefined && { label }),
  }
}

/** @throws 400 for a pattern or a group that does not exist. `path` is the place of the bindings in the request. */
export function checkReferences(bindings: readonly ContentBinding[], all: readonly HeldPattern[], path: string): void {
  const ids = new Set(all.map(({ id }) => id))
  const groups = new Set([...builtinGroups, ...all.map(({ group }) => group)])
  for (const [index, { pattern_id, group }] of bindings.entries()) {
    if (pattern_id !== undefined && !ids.has(pattern_id) && !builtinPattern(pattern_id)) {
      throw invalid(`${path}[${index}].pattern_id: content pattern not found`)
    }
    if (group !== undefined && !groups.has(group)) {
      throw invalid(`${path}[${index}].group: no content pattern is in this group`)
    }
  }
}

function recordSet(
  tx: Tx,
  ctx: Ctx<Member>,
  { id, name, environment_id }: SavedPolicy,
  version: number,
): Promise<string> {
  return recordAudit(tx, ctx, 'policy.content_bindings_updated', {
    resource: { type: 'policy', id, name },
    details: { version },
    environmentId: environment_id,
  })
}
