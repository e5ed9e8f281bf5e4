import { asksArguments } from '@mandate/policy/asks-arguments'
import { type CompiledPolicy, compilePolicy, evaluate } from '@mandate/policy/evaluate'
import { mayPass } from '@mandate/policy/may-pass'
import type { Effect, PolicyDocument } from '@mandate/policy/types'
import type { Decision, Guard, Mediated, ToolCall } from '../../src/guard/guard.ts'

/** A guard over the real evaluator, without a control plane, that remembers what it was asked. */
export interface PolicyGuard extends Guard {
  readonly decided: ToolCall[]
  readonly attested: Mediated[]
  /** Replaces the rules and tells those who listen. */
  change(document: PolicyDocument): void
}

export interface GuardOptions {
  mode?: 'enforce' | 'monitor'
  /** Awaited before each decision. */
  before?: (call: ToolCall) => Promise<unknown>
}

export const allowAll: PolicyDocument = { default_effect: 'allow', rules: [] }

/** A document whose rules have the given effect for the given patterns, and `allow` for all else. */
export function rulesFor(effects: Record<string, Effect>, defaultEffect: Effect = 'allow'): PolicyDocument {
  const rules = Object.entries(effects).map(([pattern, effect], index) => ({
    id: `rule-${index}`,
    name: `${effect} ${pattern}`,
    priority: index,
    enabled: true,
    effect,
    match: { tools: [pattern], when: [] },
    reason: `because of ${pattern}`,
  }))
  return { default_effect: defaultEffect, rules }
}

export function policyGuard(document: PolicyDocument, { mode = 'enforce', before }: GuardOptions = {}): PolicyGuard {
  const listeners = new Set<() => void>()
  const decided: ToolCall[] = []
  const attested: Mediated[] = []
  const bases = new WeakMap<Decision, CompiledPolicy>()
  let policy: CompiledPolicy = compilePolicy(document)
  let names = new Map(document.rules.map(({ id, name }) => [id, name]))

  async function decide(call: ToolCall): Promise<Decision> {
    decided.push(call)
    await before?.(call)
    call.signal?.throwIfAborted()
    const declaredArgs =
      call.declaredArgs && asksArguments(policy, call.tool)
        ? await call.declaredArgs().catch(() => new Set<string>())
        : null
    const base = policy
    const { effect, rule_id, reason } = evaluate(base, {
      tool: call.tool,
      args: call.args,
      agent: {},
      environment: {},
      declaredArgs,
    })
    const decision: Decision = {
      decisionId: `decision-${decided.length}`,
      verdict: effect,
      enforced: mode === 'enforce',
      rule: rule_id === null ? null : { id: rule_id, name: names.get(rule_id) ?? '' },
      reason,
      policyVersion: 3,
      ...(effect === 'require_approval' && {
        approval: { approvalId: 'approval-1', expiresAt: '2030-01-01T00:00:00.000Z', status: 'pending' },
      }),
    }
    bases.set(decision, base)
    return decision
  }

  return {
    decided,
    attested,
    decide,
    holds: (decision) => bases.get(decision) === policy,
    mayShow: (tool) => mode === 'monitor' || mayPass(policy, { tool, agent: {}, environment: {} }),
    onPolicyChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    attest: (mediated) => void attested.push(mediated),
    close: async () => listeners.clear(),
    change(next) {
      policy = compilePolicy(next)
      names = new Map(next.rules.map(({ id, name }) => [id, name]))
      for (const tell of listeners) tell()
    },
  }
}
