import { contentHash } from '@mandate/policy/canonical'
import { evaluate, type Verdict } from '@mandate/policy/evaluate'
import { mayPass } from '@mandate/policy/may-pass'
import type { Logger } from 'pino'
import { v7 } from 'uuid'
import type { AgentStanding } from '../carry/agent-standing.ts'
import type { ActiveProfile } from '../carry/read-profile.ts'
import type { Decision, HeldApproval, ToolCall } from '../guard/guard.ts'
import type { DecisionRecord, Spool } from '../report/spool.ts'
import type { HeldCalls } from './held-calls.ts'
import { isToolName, recordable } from './tool-name.ts'

type Outcome = {
  effect: Decision['verdict']
  mode: 'enforce' | 'monitor'
  rule: Decision['rule']
  reason: string
  profile: ActiveProfile | null
  approval?: HeldApproval
}

export interface DeciderParts {
  spool: Spool
  heldCalls: HeldCalls
  log: Logger
}

/** Decides the calls of one agent, and records each decision before it is answered. */
export class Decider {
  private readonly standing: AgentStanding
  private readonly parts: DeciderParts

  constructor(standing: AgentStanding, parts: DeciderParts) {
    this.standing = standing
    this.parts = parts
  }

  async decide(call: ToolCall): Promise<Decision> {
    call.signal?.throwIfAborted()
    const digest = digestOf(call)
    const outcome = await this.judge(call, digest)
    const decisionId = v7()
    const { effect, mode, rule, reason, profile, approval } = outcome
    try {
      await this.parts.spool.append(recordOf(decisionId, this.standing.agentId, call.tool, digest, outcome))
    } catch (error) {
      // Nothing passes that is not on record, in monitor mode either, whose point the record is.
      this.parts.log.error({ reason: (error as Error).message }, 'a decision cannot be recorded: the call is denied')
      const why = 'the decision cannot be recorded by the edge, so the call is denied'
      return { decisionId, verdict: 'deny', enforced: true, rule: null, reason: why, policyVersion: null }
    }
    const decided = { decisionId, verdict: effect, enforced: mode === 'enforce', rule, reason }
    return { ...decided, policyVersion: profile?.policyVersion ?? null, ...(approval && { approval }) }
  }

  mayShow(tool: string): boolean {
    const { profile, closed } = this.standing.now()
    if (closed !== null) return false
    if (profile.mode === 'monitor') return true
    const { agent, environment } = profile
    return isToolName(tool) && mayPass(profile.policy, { tool, agent, environment })
  }

  private async judge(call: ToolCall, digest: string | null): Promise<Outcome> {
    const { profile, closed } = this.standing.now()
    if (closed !== null) return { effect: 'deny', mode: 'enforce', rule: null, reason: closed, profile }
    const { mode } = profile
    if (!isToolName(call.tool)) return { ...denied('the tool has a name that no rule can speak of'), mode, profile }
    if (digest === null)
      return { ...denied('the arguments are no JSON that can be told apart from others'), mode, profile }
    const { tool, args } = call
    const { agent, environment } = profile
    const verdict = evaluate(profile.policy, { tool, args, agent, environment })
    const rule = ruleOf(verdict, profile)
    const outcome = { effect: verdict.effect, mode, rule, reason: reasonOf(verdict, rule, profile), profile }
    if (outcome.effect !== 'require_approval' || mode === 'monitor') return outcome
    return await this.askPeople(call, digest, outcome)
  }

  private async askPeople(
    call: ToolCall,
    digest: string,
    outcome: Outcome & { profile: ActiveProfile },
  ): Promise<Outcome> {
    const { tool, args, approvalId, signal } = call
    const { profile, rule, reason } = outcome
    try {
      const settled = await this.parts.heldCalls.settle(
        { profile, tool, args, digest, rule, reason },
        approvalId,
        signal,
      )
      const { approval } = settled
      if (!settled.passed) return { ...outcome, effect: settled.effect, reason: settled.reason, approval }
      // Asking takes a while, in which the rules may have become others.
      const now = this.standing.now()
      if (now.closed !== null) return { ...outcome, ...denied(now.closed), approval }
      if (now.profile.hash !== profile.hash)
        return { ...outcome, ...denied('the policy changed in the meantime'), approval }
      return { ...outcome, effect: 'allow', reason: settled.reason, approval }
    } catch (error) {
      signal?.throwIfAborted()
      const why = (error as Error).message
      this.parts.log.warn({ agent_id: profile.agentId, tool, reason: why }, 'an approval could not be asked for')
      return {
        ...outcome,
        effect: 'deny',
        reason: `this call needs a person's approval, which cannot be asked for: ${why}`,
      }
    }
  }
}

function denied(reason: string): Pick<Outcome, 'effect' | 'rule' | 'reason'> {
  return { effect: 'deny', rule: null, reason }
}

/** Null for what has no canonical form: it could not be bound to an approval, or found again in the records. */
function digestOf({ tool, args }: ToolCall): string | null {
  try {
    return contentHash({ tool, args })
  } catch {
    return null
  }
}

function ruleOf({ rule_id }: Verdict, { ruleNames }: ActiveProfile): Decision['rule'] {
  return rule_id === null ? null : { id: rule_id, name: ruleNames.get(rule_id) ?? '' }
}

function reasonOf({ reason, undecided }: Verdict, rule: Decision['rule'], { policyId, status }: ActiveProfile): string {
  if (policyId === null) return `the agent (${status}) may not act now, or has no policy to act under`
  const said = reason || `rule ${JSON.stringify(rule?.name ?? '')}`
  return undecided === null ? said : `${said} (its condition on ${undecided} cannot be decided, so it applies)`
}

function recordOf(
  decision_id: string,
  agent_id: string,
  tool: string,
  digest: string | null,
  { effect, mode, rule, profile }: Outcome,
): DecisionRecord {
  return {
    decision_id,
    agent_id,
    tool: recordable(tool),
    effect,
    mode,
    ...(rule && { rule_id: rule.id }),
    policy_version: profile?.policyVersion ?? null,
    args_digest: digest ?? '',
    at: new Date().toISOString(),
  }
}
