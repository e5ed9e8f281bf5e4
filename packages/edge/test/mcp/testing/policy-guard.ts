import { asksArguments, type CompiledPolicy, compilePolicy, evaluate, type Verdict } from '@mandate/policy/evaluate'
import { mayPass } from '@mandate/policy/may-pass'
import type { Effect, PolicyDocument } from '@mandate/policy/types'
import type { Closing } from '../../../src/carry/agent-standing.ts'
import type { Decision, Guard, Mediated, ToolCall } from '../../../src/guard/guard.ts'

/** A guard with the real evaluator and without a control plane. It records the calls that it decides. */
export interface PolicyGuard extends Guard {
  readonly decided: ToolCall[]
  readonly attested: Mediated[]
  readonly noted: NotedTools[]
  /** The ids of the decisions that were withdrawn. */
  readonly withdrawn: string[]
  /** Replaces the rules and notifies the listeners. */
  change(document: PolicyDocument): void
  /** Makes the guard deny every call for the reason in `closing`. With null, the guard decides by its rules again. */
  shut(closing: Closing | null): void
}

interface NotedTools {
  server: string
  names: string[]
}

export interface GuardOptions {
  mode?: 'enforce' | 'monitor'
  /** Awaited before each decision. */
  before?: (call: ToolCall) => Promise<unknown>
}

export const allowAll: PolicyDocument = { default_effect: 'allow', rules: [] }

/** A document whose rules have the given effects for the given patterns. Everything else is allowed. */
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
  const noted: NotedTools[] = []
  const withdrawn: string[] = []
  let closing: Closing | null = null
  const bases = new WeakMap<Decision, CompiledPolicy>()
  let policy: CompiledPolicy = compilePolicy(document)
  let names = new Map(document.rules.map(({ id, name }) => [id, name]))

  function evaluateReadings(
    tool: string,
    readings: readonly object[],
    declaredArgs: ReadonlySet<string> | null,
  ): Pick<Verdict, 'effect' | 'rule_id' | 'reason'> {
    if (closing !== null) return { effect: 'deny', rule_id: null, reason: closing.reason }
    const [first, ...others] = readings.map((args) =>
      evaluate(policy, { tool, args, agent: {}, environment: {}, declaredArgs }),
    )
    const strictness = { allow: 0, require_approval: 1, deny: 2 }
    return others
      .filter(({ rule_id }) => rule_id !== null)
      .reduce((one, other) => (strictness[other.effect] > strictness[one.effect] ? other : one), first as Verdict)
  }

  async function decide(call: ToolCall): Promise<Decision> {
    decided.push(call)
    await before?.(call)
    call.signal?.throwIfAborted()
    const declaredArgs =
      closing === null && call.declaredArgs && asksArguments(policy, call.tool)
        ? await call.declaredArgs().catch(() => new Set<string>())
        : null
    const base = policy
    const { effect, rule_id, reason } = evaluateReadings(
      call.tool,
      [call.args, ...(call.otherArgs ?? [])],
      declaredArgs,
    )
    const decision: Decision = {
      decisionId: `decision-${decided.length}`,
      verdict: effect,
      enforced: mode === 'enforce' || closing !== null,
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

  function mayShow(tool: string, args: readonly [object, ...object[]]): boolean {
    if (closing !== null) return false
    return mode === 'monitor' || evaluateReadings(tool, args, null).effect !== 'deny'
  }

  function mayPassWith(tool: string, declaredArgs: ReadonlySet<string> | null): boolean {
    if (closing !== null) return false
    return mode === 'monitor' || mayPass(policy, { tool, agent: {}, environment: {}, declaredArgs })
  }

  return {
    decided,
    attested,
    noted,
    withdrawn,
    decide,
    inspectsResults: () => false,
    checkResult: async (_decision, value) => ({ denied: null, value }),
    noteResult: () => null,
    noteSent: () => {},
    noteText: () => null,
    maskLine: (line) => line,
    inspectsArguments: () => false,
    checkSent: async () => ({ denied: null, holds: () => true }),
    holds: (decision) => closing === null && bases.get(decision) === policy,
    withdraw: ({ decisionId }) => void withdrawn.push(decisionId),
    closing: () => closing,
    mayShow,
    mayShowPrompt: mayPassWith,
    mayList: (tool, _, declaredArgs) => mayPassWith(tool, declaredArgs),
    noteTools: (server, definitions) =>
      void noted.push({ server, names: definitions.map(({ declared }) => declared.name) }),
    mayShowUris(tool, prefix) {
      if (closing !== null) return false
      return mode === 'monitor' || mayPass(policy, { tool, agent: {}, environment: {} }, prefix)
    },
    onPolicyChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    attest: (mediated) => void attested.push(mediated),
    close: async () => listeners.clear(),
    shut(next) {
      closing = next
      for (const tell of listeners) tell()
    },
    change(next) {
      policy = compilePolicy(next)
      names = new Map(next.rules.map(({ id, name }) => [id, name]))
      for (const tell of listeners) tell()
    },
  }
}
