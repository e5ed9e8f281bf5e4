import type { Condition, Effect, Rule, Snapshot } from '@mandate/policy/types'
import { describe, expect, it } from 'vitest'
import { type CallFacts, decideAgain, type RecordedCall } from './decide-again.ts'

const rule = (id: string, effect: Effect, tool: string, ...when: Condition[]): Rule => {
  return { id, name: id, priority: 1, enabled: true, effect, match: { tools: [tool], when }, reason: '' }
}
const document = (default_effect: Effect, ...rules: Rule[]): Snapshot => {
  const fields = { name: 'p', description: '', environment_id: null, override_mode: 'inherit' as const }
  return { ...fields, default_effect, dlp_enabled: false, rules }
}

const onPath: Condition = { path: 'args.path', op: 'starts_with', value: '/tmp/' }
const isActive: Condition = { path: 'agent.status', op: 'eq', value: 'active' }

const plain = document(
  'deny',
  rule('reads', 'allow', 'mcp:files/read'),
  rule('asks', 'require_approval', 'mcp:files/write'),
)
const byArgs = document('deny', rule('tmp', 'allow', 'mcp:files/read', onPath))
const byAgent = document('deny', rule('live', 'allow', 'mcp:files/read', isActive))
const askByDefault = document('require_approval')
const closesOnArgs = document('allow', rule('stop', 'deny', 'mcp:files/read', onPath))

const call = (rest: Partial<RecordedCall> = {}): RecordedCall => {
  return {
    tool: 'mcp:files/read',
    effect: 'allow',
    mode: 'enforce',
    ruleId: null,
    approvalId: null,
    content: 'allow',
    ...rest,
  }
}
const write = (rest: Partial<RecordedCall>) => call({ tool: 'mcp:files/write', ruleId: 'asks', ...rest })
const today: CallFacts = { agent: { status: 'active' }, environment: {}, args: null, kept: null }
const suspended: CallFacts = { ...today, agent: { status: 'suspended' } }
const withArgs = (args: Record<string, unknown>): CallFacts => ({ ...today, args })

const asksOthers = document('deny', rule('tmp', 'allow', 'mcp:files/write', onPath), {
  ...rule('asks', 'require_approval', 'mcp:files/write'),
  priority: 2,
})
const keptAs = (undeclared: boolean): CallFacts => ({
  ...withArgs({ path: '/tmp/a', force: true }),
  kept: { undeclared, readings: [[{ path: 'args.path', state: 'value', value: '/tmp/a' }]] },
})

const bySession = document(
  'deny',
  rule('asks', 'require_approval', 'mcp:files/read', { path: 'session.labels', op: 'has', value: 'seen' }),
  { ...rule('reads', 'allow', 'mcp:files/read'), priority: 2 },
)
const byState = document(
  'deny',
  rule('known', 'allow', 'mcp:files/read', { path: 'tool.state', op: 'eq', value: 'pinned' }),
)

const limited = document(
  'deny',
  { ...rule('few', 'allow', 'mcp:files/read'), limit: { count: 2, window_s: 60 } },
  { ...rule('more', 'allow', 'mcp:files/read'), priority: 2, limit: { count: 2, window_s: 60 } },
)

const cases: [string, string, Snapshot, RecordedCall, CallFacts?][] = [
  ['a rule with a limit decides as recorded', 'same', limited, call({ ruleId: 'few' })],
  ['the limit of an earlier rule was used up', 'same', limited, call({ ruleId: 'more' })],
  ['the limits of all rules were used up', 'same', limited, call({ effect: 'deny' })],
  [
    'the limit of a rule cannot explain the recorded effect',
    'differs',
    limited,
    call({ effect: 'require_approval', ruleId: 'few' }),
  ],
  ['the rule decides as recorded', 'same', plain, call({ ruleId: 'reads' })],
  ['the default effect decides as recorded', 'same', plain, call({ tool: 'fn:a/b', effect: 'deny' })],
  [
    'the recorded effect is not the one of the rule',
    'differs',
    plain,
    call({ effect: 'require_approval', ruleId: 'reads' }),
  ],
  ['the recorded rule does not exist in the version', 'differs', plain, call({ ruleId: 'gone' })],
  ['the policy asks for the session', 'undecidable', bySession, call({ ruleId: 'reads' }), withArgs({})],
  ['the policy asks for the state of the tool', 'undecidable', byState, call({ ruleId: 'known' }), withArgs({})],
  ['another rule decides', 'differs', plain, call({ ruleId: 'asks' })],
  ['a call was allowed that the default effect denies', 'differs', plain, call({ tool: 'fn:a/b' })],
  ['the edge denied the call without a rule', 'undecidable', plain, call({ effect: 'deny' })],
  [
    'the edge denied a call that needs approval without a rule',
    'undecidable',
    plain,
    write({ effect: 'deny', ruleId: null }),
  ],
  ['a held call', 'same', plain, write({ effect: 'require_approval' })],
  ['a call that passed with its approval', 'same', plain, write({ approvalId: 'a' })],
  ['a call that passed, from an edge that does not record approvals', 'same', plain, write({})],
  ['a call whose approval was refused', 'same', plain, write({ effect: 'deny', approvalId: 'a' })],
  ['a call that passed with an approval by default', 'same', askByDefault, call({ approvalId: 'a' })],
  ['a call that passed without a recorded approval', 'undecidable', askByDefault, call()],
  ['a call in monitor mode needs no approval', 'differs', plain, write({ mode: 'monitor' })],
  ['a rule asks for arguments', 'undecidable', byArgs, call({ ruleId: 'tmp' })],
  ['the arguments are known', 'same', byArgs, call({ ruleId: 'tmp' }), withArgs({ path: '/tmp/a' })],
  ['the known arguments give another effect', 'differs', byArgs, call({ ruleId: 'tmp' }), withArgs({ path: '/etc' })],
  ['a rule asks for arguments of another tool', 'same', byArgs, call({ tool: 'mcp:files/write', effect: 'deny' })],
  [
    'the edge may not have known an argument',
    'undecidable',
    closesOnArgs,
    call({ effect: 'deny', ruleId: 'stop' }),
    withArgs({ path: '/etc' }),
  ],
  [
    'the tool may not declare an argument, so that another rule decided',
    'undecidable',
    asksOthers,
    write({ effect: 'require_approval' }),
    withArgs({ path: '/tmp/a', force: true }),
  ],
  ['the tool does not declare an argument', 'same', asksOthers, write({ effect: 'require_approval' }), keptAs(true)],
  ['the tool declares all arguments', 'differs', asksOthers, write({ effect: 'require_approval' }), keptAs(false)],
  ['a call without arguments', 'differs', plain, write({ effect: 'deny', ruleId: 'reads' }), withArgs({})],
  [
    'every call of the tool is denied',
    'differs',
    document('deny', rule('no', 'deny', 'mcp:files/read', onPath)),
    call({ ruleId: 'no' }),
  ],
  ['the agent is as it was', 'same', byAgent, call({ ruleId: 'live' })],
  ['the agent has changed since', 'undecidable', byAgent, call({ ruleId: 'live' }), suspended],
]

describe('deciding a recorded call again', () => {
  it.each(cases)('%s: %s', (_, result, snapshot, recorded, facts = today) => {
    const outcome = decideAgain(snapshot, 3, recorded, facts)
    expect(outcome.result).toBe(result)
    expect(outcome.replayed === null).toBe(result === 'undecidable')
    expect(outcome.reason).toMatch(
      /^[^.]+$|^[^.]+args\.[^.]+$|^[^.]+agent\.[^.]+$|^[^.]+(?:session\.labels|tool\.state)[^.]+$/,
    )
  })

  it('names what the policy asks for', () => {
    expect(decideAgain(byArgs, 3, call({ ruleId: 'tmp' }), today).reason).toBe(
      'the policy asks for args.path, and the record has only the digest of the arguments',
    )
    expect(decideAgain(plain, 3, call({ tool: 'fn:a/b' }), today).reason).toBe(
      'version 3 of the policy decides deny, and allow was recorded',
    )
  })

  it('stops at a call that is too large for the policy', () => {
    const many = Array.from({ length: 4000 }, (_, n) => rule(`r${n}`, 'deny', 'mcp:files/read', onPath))
    const large = withArgs({ path: 'x', pad: 'x'.repeat(16_000) })
    expect(decideAgain(document('deny', ...many), 1, call(), large)).toMatchObject({
      result: 'undecidable',
      reason: 'the call is too large for a policy of this size',
    })
  })
})
