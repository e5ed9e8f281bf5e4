import { expect, test } from 'vitest'
import type { Document, DocumentRule } from '../document/document.ts'
import { keepDraft } from './keep-draft.ts'

const rule = (id: string, reason = ''): DocumentRule => ({
  id,
  name: id,
  priority: 10,
  enabled: true,
  effect: 'deny',
  match: { tools: ['mcp:*/delete'], when: [] },
  reason,
})

const base: Document = {
  name: 'Support',
  description: '',
  environment_id: null,
  override_mode: 'enforce',
  default_effect: 'deny',
  dlp_enabled: false,
  rules: [rule('a'), rule('b'), rule('c')],
}

test('keeps what the other person changed in fields and rules that the draft did not change', () => {
  const theirs = { ...base, description: 'Theirs', rules: [rule('a', 'theirs'), rule('b'), rule('new')] }
  const mine = { ...base, default_effect: 'allow' as const, rules: [rule('a'), rule('b', 'mine'), rule('c')] }
  expect(keepDraft(base, theirs, mine)).toEqual({
    ...base,
    description: 'Theirs',
    default_effect: 'allow',
    rules: [rule('a', 'theirs'), rule('b', 'mine'), rule('new')],
  })
})

test('the draft counts where both changed a field or a rule', () => {
  const theirs = { ...base, description: 'Theirs', rules: [rule('a', 'theirs'), rule('c', 'theirs')] }
  const mine = { ...base, description: 'Mine', rules: [rule('a', 'mine'), rule('b', 'mine')] }
  const { id: _id, ...added } = rule('b', 'mine')
  expect(keepDraft(base, theirs, mine)).toEqual({ ...base, description: 'Mine', rules: [rule('a', 'mine'), added] })
})
