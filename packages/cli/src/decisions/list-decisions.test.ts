import { expect, it } from 'vitest'
import { whyText } from './list-decisions.ts'

const rule = { id: 'r', name: 'Refunds' }
const policy = { id: 'p', name: 'Support', version: 1, content_hash: null }
const call = { effect: 'allow', approval_id: null, rule, policy, denied_because: null } as const

it.each([
  ['the rule', call, 'rule Refunds'],
  ['the default effect', { ...call, rule: null }, 'default effect'],
  ['the missing policy', { ...call, rule: null, policy: null }, 'no policy'],
  ['the person who approved the call', { ...call, approval_id: 'a' }, 'approved by a person'],
  ['the rule that holds the call', { ...call, effect: 'require_approval', approval_id: 'a' } as const, 'rule Refunds'],
  [
    'the person who denied the call',
    { ...call, effect: 'deny', approval_id: 'a', denied_because: 'rejected' } as const,
    'rejected',
  ],
])('names %s', (_, decision, expected) => expect(whyText(decision)).toBe(expected))
