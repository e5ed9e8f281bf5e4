import { asksArguments } from '@mandate/policy/evaluate'
import { mayPass } from '@mandate/policy/may-pass'
import type { Logger } from 'pino'
import type { AgentStanding } from '../carry/agent-standing.ts'
import type { ActiveProfile } from '../carry/read-profile.ts'
import { type Decision, type JsonObject, passes, type ToolCall } from '../guard/guard.ts'
import type { DecisionRecord, Spool } from '../report/spool.ts'
import { checkCall, type Outcome } from './check-call.ts'
import { newDecisionId } from './decision-id.ts'
import type { HeldCall, HeldCalls } from './held-calls.ts'
import { isToolName, recordable } from './tool-name.ts'

export interface DeciderParts {
  spool: Spool
  heldCalls: HeldCalls
  log: Logger
}

/** Decides the calls of one agent. Records each decision before it returns the decision. */
export class Decider {
  private readonly standing: AgentStanding
  private readonly parts: DeciderParts
  /** For each decision that lets a call pass, the profile that was in force then. */
  private readonly bases = new WeakMap<Decision, ActiveProfile>()

  constructor(standing: AgentStanding, parts: DeciderParts) {
    this.standing = standing
    this.parts = parts
  }

  async decide(call: ToolCall): Promise<Decision> {
    let decision = await this.decideOnce(call)
    // The policy may have changed while the decision was being recorded.
    while (passes(decision) && !this.holds(decision)) decision = await this.decideOnce(call)
    return decision
  }

  /** Whether a decision that lets a call pass is still valid under the profile in force. */
  holds(decision: Decision): boolean {
    const { profile, closed } = this.standing.now()
    return closed === null && this.bases.get(decision)?.hash === profile.hash
  }

  /** See `Guard.mayShow`. */
  mayShow(tool: string, args?: readonly [JsonObject, ...JsonObject[]]): boolean {
    if (args === undefined) return this.mayPass(tool)
    const standing = this.standing.now()
    if (standing.closed !== null) return false
    if (standing.profile.mode === 'monitor') return true
    const [first, ...otherArgs] = args
    return checkCall({ tool, args: first, otherArgs }, standing, null).effect !== 'deny'
  }

  /** See `Guard.mayShowUris`. */
  mayShowUris(tool: string, prefix: string): boolean {
    return this.mayPass(tool, prefix)
  }

  private mayPass(tool: string, uriPrefix?: string): boolean {
    const { profile, closed } = this.standing.now()
    if (closed !== null) return false
    if (profile.mode === 'monitor') return true
    const { policy, agent, environment } = profile
    return isToolName(tool) && mayPass(policy, { tool, agent, environment }, uriPrefix)
  }

  private async decideOnce(call: ToolCall): Promise<Decision> {
    call.signal?.throwIfAborted()
    const startMs = performance.now()
    // If the policy has no conditions on arguments, no await runs here. So the policy cannot change between this check and the decision.
    const declared = this.asksArguments(call) ? await this.declaredArgs(call) : null
    const checked = checkCall(call, this.standing.now(), declared)
    const outcome = checked.held ? await this.askPeople(call, checked, checked.held) : checked
    const decisionId = newDecisionId()
    try {
      const durationUs = Math.round((performance.now() - startMs) * 1000)
      await this.parts.spool.append(recordOf({ decisionId, agentId: this.standing.agentId, durationUs }, call, outcome))
    } catch (error) {
      // A call must not pass without a record. This applies in monitor mode too, because the purpose of monitor mode is its records.
      this.parts.log.error(
        { reason: (error as Error).message },
        'a decision cannot be recorded, so the edge denies the call: check the disk and the connection to the control plane',
      )
      const why = 'the decision cannot be recorded by the edge, so the call is denied'
      return { decisionId, verdict: 'deny', enforced: true, rule: null, reason: why, policyVersion: null }
    }
    const decision = decisionOf(decisionId, outcome)
    if (outcome.profile) this.bases.set(decision, outcome.profile)
    return decision
  }

  private asksArguments({ tool }: ToolCall): boolean {
    const { profile, closed } = this.standing.now()
    return closed === null && asksArguments(profile.policy, tool)
  }

  /**
   * Returns the arguments that the tool declares. Returns an empty list if the tool's server cannot be asked. Then every
   * argument counts as undeclared, and conditions on arguments fail closed.
   */
  private async declaredArgs({ tool, declaredArgs }: ToolCall): Promise<ReadonlySet<string> | null> {
    try {
      return (await declaredArgs?.()) ?? null
    } catch (error) {
      this.parts.log.warn(
        { tool, reason: (error as Error).message },
        'cannot get the tool list of the tool server, so the edge treats every argument of the call as undeclared',
      )
      return new Set()
    }
  }

  private async askPeople({ approvalId, signal }: ToolCall, checked: Outcome, held: HeldCall): Promise<Outcome> {
    const { profile, tool } = held
    try {
      const { passed, ...settled } = await this.parts.heldCalls.settle(held, approvalId, signal)
      if (!passed) return { ...checked, ...settled }
      // The policy may have changed while the edge asked for the approval.
      const now = this.standing.now()
      if (now.closed !== null) return { ...checked, ...settled, ...denied(now.closed) }
      if (now.profile.hash !== profile.hash) return { ...checked, ...settled, ...denied(policyChanged) }
      return { ...checked, ...settled, effect: 'allow' }
    } catch (error) {
      signal?.throwIfAborted()
      const why = (error as Error).message
      this.parts.log.warn(
        { agent_id: profile.agentId, tool, reason: why },
        'the edge cannot request or check the approval of a call, so it denies the call',
      )
      const reason = `this call needs a person's approval, which cannot be requested or checked: ${why}`
      return { ...checked, effect: 'deny', reason }
    }
  }
}

const policyChanged = 'the policy changed while the edge checked the approval; make the same call again'

function denied(reason: string): Pick<Outcome, 'effect' | 'rule' | 'reason'> {
  return { effect: 'deny', rule: null, reason }
}

function decisionOf(decisionId: string, { effect, mode, rule, reason, profile, approval }: Outcome): Decision {
  const decided = { decisionId, verdict: effect, enforced: mode === 'enforce', rule, reason }
  return { ...decided, policyVersion: profile?.policyVersion ?? null, ...(approval && { approval }) }
}

const longestDurationUs = 86_400_000_000

/** The keys of a record are in alphabetical order, because the spool then writes its canonical form faster. */
function recordOf(
  { decisionId, agentId, durationUs }: { decisionId: string; agentId: string; durationUs: number },
  { sessionId, onBehalfOf }: ToolCall,
  { tool, digest, effect, mode, rule, profile, approval }: Outcome,
): DecisionRecord {
  return {
    agent_id: agentId,
    ...(approval && { approval_id: approval.approvalId }),
    args_digest: digest ?? '',
    at: new Date().toISOString(),
    decision_id: decisionId,
    duration_us: Math.min(durationUs, longestDurationUs),
    effect,
    mode,
    ...(onBehalfOf !== undefined && { on_behalf_of: onBehalfOf }),
    ...(profile?.policyId != null && { policy_hash: profile.policyHash, policy_id: profile.policyId }),
    policy_version: profile?.policyVersion ?? null,
    ...(profile && { profile: { hash: profile.hash, seq: profile.seq } }),
    ...(rule && { rule_id: rule.id }),
    ...(sessionId !== undefined && { session_id: sessionId }),
    tool: recordable(tool),
  }
}
