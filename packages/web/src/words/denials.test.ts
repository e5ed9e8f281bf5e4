import { denialReasons } from '@mandate/contract/words/denial-words'
import { describe, expect, it } from 'vitest'
import { deciderOf, denialOf } from './denials.ts'

const rule = { id: 'r', name: 'Refunds' }
const call = { effect: 'deny', approval_id: null } as const
const approved = { effect: 'allow', approval_id: 'a', denied_because: null } as const
const policy = { id: 'p', name: 'Support', version: 1, content_hash: null }

describe('what decided a call', () => {
  it.each([
    ['the rule', { rule, policy, denied_because: 'rule' }, 'Refunds'],
    ['the default effect', { rule: null, policy, denied_because: 'default_effect' }, 'Default effect'],
    ['a stop, although the edge still had a policy', { rule: null, policy, denied_because: 'frozen' }, 'Agent frozen'],
    ['a person who denied what a rule held', { rule, policy, denied_because: 'rejected' }, 'A person denied it'],
    ['a reason of a later edge', { rule: null, policy, denied_because: 'quota' }, 'Denied by the edge'],
    ['a record of an earlier edge without a rule', { rule: null, policy, denied_because: null }, 'Default effect'],
    ['a record of an earlier edge without a policy', { rule: null, policy: null, denied_because: null }, 'No policy'],
    [
      'a person, although the default effect held the call',
      { ...approved, rule: null, policy },
      'A person approved it',
    ],
    ['a person, although a rule held the call', { ...approved, rule, policy }, 'A person approved it'],
    [
      'the rule while nobody has decided',
      { ...approved, effect: 'require_approval' as const, rule, policy },
      'Refunds',
    ],
  ])('is %s', (_, decision, expected) => expect(deciderOf({ ...call, ...decision })).toBe(expected))

  it('has its own words for each reason that edges send', () => {
    const others = denialReasons.filter((reason) => reason !== 'rule' && reason !== 'default_effect')
    const shorts = others.map((reason) => denialOf({ denied_because: reason })?.short)
    expect(shorts).not.toContain('Denied by the edge')
    expect(shorts).not.toContain(undefined)
  })
})
