import { contentHash } from '@mandate/proofs/canonical'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changeSummary, diffSnapshots } from '../src/changes/diff.ts'
import { takeSnapshot } from '../src/snapshot.ts'
import type { Rule, Snapshot } from '../src/types.ts'
import { snapshot } from './arbitrary-policy.ts'

const rule = (id: string, priority: number): Rule => ({
  id,
  name: id,
  priority,
  enabled: true,
  effect: 'deny',
  match: { tools: ['*'], when: [] },
  reason: '',
})

const first: Snapshot = {
  name: 'policy',
  description: null,
  environment_id: null,
  override_mode: 'inherit',
  default_effect: 'deny',
  dlp_enabled: false,
  rules: [rule('a', 1), rule('b', 2)],
}
const nothing = { fields: [], rules_added: 0, rules_removed: 0, rules_changed: 0 }

describe('the diff of two versions', () => {
  test('is null for version 1, with an empty summary', () => {
    expect(diffSnapshots(null, first)).toBeNull()
    expect(changeSummary(null, first)).toEqual(nothing)
  })

  test('has an empty summary for a save without changes', () => {
    expect(diffSnapshots(first, structuredClone(first))).toEqual({
      fields: [],
      rules: { added: [], removed: [], changed: [] },
    })
    expect(changeSummary(first, structuredClone(first))).toEqual(nothing)
  })

  test('names changed fields with both values', () => {
    const next: Snapshot = { ...first, name: 'other', description: 'why', dlp_enabled: true }
    expect(diffSnapshots(first, next)?.fields).toEqual([
      { field: 'name', from: 'policy', to: 'other' },
      { field: 'description', from: null, to: 'why' },
      { field: 'dlp_enabled', from: false, to: true },
    ])
    expect(changeSummary(first, next)).toEqual({ ...nothing, fields: ['name', 'description', 'dlp_enabled'] })
  })

  test('matches rules by id, and counts and shows added, removed and changed rules', () => {
    const changed: Rule = { ...rule('b', 7), match: { tools: ['fn:a/b'], when: [] } }
    const next = { ...first, rules: [rule('c', 3), changed] }
    expect(diffSnapshots(first, next)?.rules).toEqual({
      added: [rule('c', 3)],
      removed: [rule('a', 1)],
      changed: [
        {
          id: 'b',
          fields: [
            { field: 'priority', from: 2, to: 7 },
            { field: 'match', from: { tools: ['*'], when: [] }, to: { tools: ['fn:a/b'], when: [] } },
          ],
        },
      ],
    })
    expect(changeSummary(first, next)).toEqual({ fields: [], rules_added: 1, rules_removed: 1, rules_changed: 1 })
  })

  test('shows a restored rule with the same id as changed, not as removed and added', () => {
    const edited = { ...first, rules: [rule('a', 1), { ...rule('b', 2), name: 'edited' }] }
    expect(changeSummary(edited, first)).toEqual({ ...nothing, rules_changed: 1 })
  })

  test('ignores the order of keys', () => {
    const { match, ...rest } = rule('a', 1)
    const turned = { ...first, rules: [{ match: { when: match.when, tools: match.tools }, ...rest }, rule('b', 2)] }
    expect(changeSummary(first, turned)).toEqual(nothing)
  })

  test('a summary is empty exactly when the content hash stays, and the way back swaps added and removed', () => {
    fc.assert(
      fc.property(snapshot, snapshot, (a, b) => {
        const [from, to] = [takeSnapshot(a), takeSnapshot(b)]
        const there = changeSummary(from, to)
        const back = changeSummary(to, from)
        const same = contentHash(from) === contentHash(to)
        expect(JSON.stringify(there) === JSON.stringify(nothing)).toBe(same)
        expect(back).toEqual({ ...there, rules_added: there.rules_removed, rules_removed: there.rules_added })
        expect(changeSummary(from, takeSnapshot(from))).toEqual(nothing)
      }),
    )
  })
})

test('a snapshot contains only the policy fields and the rules by priority', () => {
  const policy = { ...first, id: 'p', version: 4, rules: [rule('b', 2), { ...rule('a', 1), policy_id: 'p' }] }
  expect(takeSnapshot(policy)).toStrictEqual(first)
})
