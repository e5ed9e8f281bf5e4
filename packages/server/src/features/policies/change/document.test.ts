import { describe, expect, it } from 'vitest'
import { checkedDocument, newDocument, withFields, withoutRule, withRule } from './document.ts'

const rule = (priority: number, tools = ['mcp:files/read']) => ({
  priority,
  effect: 'allow' as const,
  match: { tools },
})
let count = 0
const id = () => `rule-${++count}`

describe('a policy document', () => {
  it('a new policy denies by default, inherits its mode, and has DLP off', () => {
    expect(newDocument({ name: 'p' }, null, id)).toEqual({
      name: 'p',
      description: '',
      environment_id: null,
      override_mode: 'inherit',
      default_effect: 'deny',
      dlp_enabled: false,
      rules: [],
    })
  })

  it('a field that is not sent keeps its value, and rules are not a field', () => {
    const before = newDocument({ name: 'p', description: 'kept', rules: [rule(1)] }, null, id)
    const after = withFields(before, { default_effect: 'allow', rules: [] } as never)
    expect(after).toEqual({ ...before, default_effect: 'allow' })
  })

  it('faults have the index of the sent rule, and stored rules are ordered by priority', () => {
    const sent = newDocument({ name: 'p', rules: [rule(9), rule(2, ['mcp:files'])] }, null, id)
    expect(() => checkedDocument(sent)).toThrow(/^rules\[1\]\.match\.tools\[0\] is not a tool pattern/)
    const good = newDocument({ name: 'p', rules: [rule(9), rule(2)] }, null, id)
    expect(checkedDocument(good).snapshot.rules.map(({ priority }) => priority)).toEqual([2, 9])
  })

  it('a document over 1 MiB is refused', () => {
    const tools = Array.from({ length: 100 }, (_, n) => `mcp:${'n'.repeat(60)}/${'o'.repeat(50)}${n}`)
    const rules = Array.from({ length: 100 }, (_, n) => rule(n, tools))
    expect(() => checkedDocument(newDocument({ name: 'p', rules }, null, id))).toThrow(/1 MiB/)
  })

  it('a changed rule keeps its position, and an unknown rule is neither changed nor removed', () => {
    const before = newDocument({ name: 'p', rules: [rule(1), rule(2)] }, null, id)
    const [first, second] = before.rules
    expect(withRule(before, first!.id, { enabled: false })?.rules).toEqual([{ ...first, enabled: false }, second])
    expect(withRule(before, 'unknown', { enabled: false })).toBeUndefined()
    expect(withoutRule(before, 'unknown')).toBeUndefined()
    expect(withoutRule(before, first!.id)?.rules).toEqual([second])
  })
})
