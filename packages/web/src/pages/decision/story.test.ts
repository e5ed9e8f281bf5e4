import { denialReasons } from '@mandate/contract/words/denial-words'
import { describe, expect, it } from 'vitest'
import { remedyOf } from './remedies.ts'
import { type Approval, type Decision, proofOf, type Rule, storyOf, waitedFor } from './story.ts'
import { asksPolicy, waysToPass } from './ways.ts'

const decision = {
  effect: 'require_approval',
  mode: 'enforce',
  rule: { id: 'r', name: 'Refunds' },
  policy: { id: 'p', name: 'Support', version: 1, content_hash: null },
  denied_because: null,
} as Decision
const approval = (status: Approval['status'], resolved_at: string | null = '2026-03-02T08:01:31.000Z') =>
  ({ status, requested_at: '2026-03-02T08:00:00.000Z', resolved_at, ended_because: null }) as Approval

it('the story says who decided and what a person did', () => {
  expect(storyOf(decision, undefined)).toEqual(['A rule held this call'])
  expect(storyOf(decision, approval('rejected'))).toEqual([
    'A rule held this call',
    'a person denied it after 1 min 31 s',
  ])
  expect(storyOf({ ...decision, effect: 'deny' }, approval('rejected'))[0]).toBe('A rule held this call')
  expect(storyOf(decision, approval('approved'))[1]).toBe(
    'a person approved it after 1 min 31 s, and the approval is not used',
  )
  expect(storyOf(decision, approval('consumed'))[1]).toBe('a person approved it after 1 min 31 s')
  expect(storyOf(decision, approval('pending', null))[1]).toBe('nobody has decided yet')
  expect(storyOf(decision, approval('expired', null))[1]).toBe(
    'nobody decided before the time was over or the agent was stopped',
  )
  const late = { ...approval('expired', null), ended_because: 'time' } as const
  expect(storyOf(decision, late)[1]).toBe('nobody decided before the time was over')
  expect(storyOf(decision, { ...approval('expired'), ended_because: 'time' })[1]).toBe(
    'a person approved it after 1 min 31 s, and nobody used the approval in time',
  )
  const ended = { ...approval('expired', null), ended_because: 'suspended' } as const
  expect(storyOf(decision, ended)[1]).toBe('its approval ended because the agent was suspended')
  expect(storyOf(decision, { ...approval('expired'), ended_because: 'suspended' })[1]).toBe(
    'a person approved it after 1 min 31 s, and the approval ended because the agent was suspended',
  )
})

it('without a rule the default effect decided, and without a policy the edge', () => {
  expect(storyOf({ ...decision, effect: 'deny', rule: null }, undefined)).toEqual([
    'The default effect of the policy denied this call',
  ])
  expect(storyOf({ ...decision, effect: 'deny', rule: null, policy: null }, undefined)).toEqual([
    'The edge denied this call',
    'because the agent had no policy in force or was stopped',
  ])
})

it('a denial without the policy says why the edge denied the call', () => {
  const denied = { ...decision, effect: 'deny' } as const
  expect(storyOf({ ...denied, rule: null, denied_because: 'frozen' }, undefined)).toEqual([
    'The edge denied this call',
    'because the agent was frozen',
  ])
  expect(storyOf({ ...denied, denied_because: 'rejected' }, undefined)[1]).toBe('because a person denied it')
  expect(storyOf({ ...denied, denied_because: 'rejected' }, approval('rejected'))).toEqual([
    'A rule held this call',
    'a person denied it after 1 min 31 s',
  ])
  expect(storyOf({ ...denied, mode: 'monitor', denied_because: 'content' }, undefined)[0]).toBe(
    'The edge would deny this call',
  )
})

it('in the mode monitor the call passed', () => {
  expect(storyOf({ ...decision, mode: 'monitor', effect: 'deny' }, undefined)).toEqual([
    'A rule would deny this call',
    'but it passed, because calls are only recorded',
  ])
})

it('the receipt proves only what the signed record has', () => {
  expect(proofOf({ integrity: 'signed', approval_id: null })).toBe('the receipt proves what the edge recorded')
  expect(proofOf({ integrity: 'signed', approval_id: 'a' })).toMatch(/the id of the approval only$/)
  expect(proofOf({ integrity: 'broken', approval_id: 'a' })).toMatch(/records before it are missing$/)
  expect(proofOf({ integrity: 'unsigned', approval_id: 'a' })).toBe('no receipt proves it')
})

it('an approval that waits has no time yet', () => {
  expect(waitedFor(approval('pending', null))).toBeUndefined()
})

describe('what would let a call pass', () => {
  const when: Rule['match']['when'] = [{ path: 'args.amount', op: 'gt', value: 20_000 }]
  const rules = [
    {
      id: 'r',
      name: 'Large refunds',
      effect: 'require_approval',
      enabled: true,
      match: { tools: ['mcp:pay/*'], when },
    },
    { id: 'a', name: 'Refunds', effect: 'allow', enabled: true, match: { tools: ['mcp:pay/refund'], when } },
    { id: 'off', name: 'Off', effect: 'allow', enabled: false, match: { tools: ['mcp:pay/*'], when: [] } },
    { id: 'no', name: 'Never', effect: 'deny', enabled: true, match: { tools: ['mcp:crm/*'], when: [] } },
  ] as unknown as Rule[]
  const call = { ...decision, tool: 'mcp:pay/refund', kept_arguments: null, labels: null } as Decision
  const asked = (shown: Partial<Approval>) => ({ ...approval('pending', null), ...shown }) as Approval
  const asks = (was?: string) => [{ asks: 'args.amount above 20000', was }]
  const texts = (known: Parameters<typeof waysToPass>[0]) => waysToPass(known).map(({ text }) => text)

  it('is a person or another value, for a rule that holds the call', () => {
    const shown = asked({ arguments: { amount: 48_900 }, arguments_exact: true })
    expect(waysToPass({ decision: call, approval: shown, rules })).toEqual([
      { text: 'A person must approve the call.', asks: [] },
      {
        text: 'The rule decides a call if all of this holds:',
        rule: { id: 'r', name: 'Large refunds' },
        asks: asks('48900'),
        after: expect.stringMatching(/^Or a condition cannot be decided: its argument is missing, /),
      },
    ])
  })

  it.each([
    ['a kept value', { kept_arguments: [{ path: 'args.amount', state: 'value', value: 7 }] }, {}, '7'],
    ['a kept absence', { kept_arguments: [{ path: 'args.amount', state: 'absent' }] }, {}, 'absent'],
    ['what the approval shows', {}, { arguments: {}, arguments_exact: true }, 'absent'],
    ['nothing, if the edge shortened it', {}, { arguments: { amount: 1 }, arguments_exact: false }, undefined],
    ['nothing of a prototype', {}, { arguments: Object.create({ amount: 1 }), arguments_exact: true }, 'absent'],
  ])('shows the value from %s', (_, kept, shown, was) => {
    const ways = waysToPass({ decision: { ...call, ...kept } as Decision, approval: asked(shown), rules })
    expect(ways.at(-1)?.asks).toEqual(asks(was))
  })

  it('is a change of the policy, for a deny rule without conditions and for the default effect', () => {
    const denied = { ...call, effect: 'deny' } as Decision
    expect(texts({ decision: { ...denied, rule: { id: 'no', name: 'Never' } }, rules })).toEqual([
      'The rule denies every call of this tool, whatever its arguments are.',
    ])
    expect(waysToPass({ decision: { ...denied, rule: null }, rules })).toEqual([
      { text: 'No rule matched the call. A rule of the policy must allow it.', asks: [] },
      expect.objectContaining({ rule: { id: 'a', name: 'Refunds' }, asks: asks(undefined) }),
    ])
    expect(texts({ decision: { ...denied, rule: null, tool: 'mcp:mail/send' }, rules })).toEqual([
      'No rule names this tool. A rule of the policy must allow it.',
    ])
  })

  it('is the conditions of an earlier rule, for a rule without conditions that holds the call', () => {
    const last = {
      ...rules[0],
      id: 'all',
      name: 'All',
      priority: 30,
      match: { tools: ['mcp:*/ref*nd'], when: [] },
    } as Rule
    const [held, own, earlier, ...others] = waysToPass({
      decision: { ...call, rule: { id: 'all', name: 'All' } },
      rules: [...rules.map((rule) => ({ ...rule, priority: 20 })), last],
    })
    expect(held?.text).toBe('A person must approve the call.')
    expect(own?.text).toMatch(/that no rule before it decides\.$/)
    expect(earlier).toMatchObject({ rule: { id: 'a', name: 'Refunds' }, asks: asks(undefined) })
    expect(others).toEqual([])
  })

  it.each([
    ['mcp:*/refund', true],
    ['mcp:pay/*fund', true],
    ['*', true],
    ['mcp:pay/', false],
    ['mcp:p*', false],
    ['mcp:pay.refund', false],
  ])('a rule for %s names mcp:pay/refund: %s', (pattern, isNamed) => {
    const hold = { ...rules[0], match: { tools: [pattern], when } } as Rule
    const [way] = waysToPass({ decision: { ...call, effect: 'deny', rule: null }, rules: [hold] })
    expect(way?.text).toMatch(isNamed ? /^No rule matched the call/ : /^No rule names this tool/)
  })

  it('may be other arguments, if content rules found something in a held call', () => {
    const found = { ...call, rule: null, content: [{}] } as unknown as Decision
    expect(texts({ decision: found, rules })).toEqual([
      'A person must approve the call.',
      expect.stringMatching(/^Content rules found something in the call\. If they held it, /),
    ])
    expect(storyOf(found, undefined)).toEqual(['The default effect of the policy or a content rule held this call'])
  })

  it.each([
    ['frozen', false],
    ['tool_blocked', false],
    ['content', true],
    [null, true],
  ])('a change of the policy helps a call that was denied because of %s: %s', (denied_because, helps) => {
    const decision = { ...call, effect: 'deny', rule: null, denied_because } as Decision
    expect(asksPolicy(decision, waysToPass({ decision, rules }))).toBe(helps)
  })

  it('is the remedy, if the edge denied the call for another reason', () => {
    expect(texts({ decision: { ...call, effect: 'deny', denied_because: 'frozen' }, rules })).toEqual([
      'A manager or an owner must lift the freeze. Only an owner lifts a freeze of the whole organization.',
    ])
    expect(
      texts({ decision: { ...call, effect: 'deny', denied_because: 'of later edges' } as Decision, rules }),
    ).toEqual([])
    for (const reason of denialReasons)
      expect(remedyOf(reason) !== undefined).toBe(!['rule', 'default_effect', 'rejected'].includes(reason))
  })

  it('is nothing for a call that passed', () => {
    expect(waysToPass({ decision: { ...call, effect: 'allow' }, rules })).toEqual([])
    expect(waysToPass({ decision: { ...call, mode: 'monitor' }, rules })).toEqual([])
  })
})
