import type { KeptArguments } from '@mandate/contract/kept-arguments'
import type { DenialReason } from '@mandate/contract/words/denial-words'
import { asksArguments } from '@mandate/policy/evaluate'
import { mayPass } from '@mandate/policy/may-pass'
import { isToolName } from '@mandate/policy/tool-name'
import { noUses } from '@mandate/policy/types'
import type { Logger } from 'pino'
import type { AgentStanding, Standing } from '../carry/agent-standing.ts'
import { type ContentGuard, type Inspected, redactedArguments } from '../content/content-guard.ts'
import type { EnvironmentKey } from '../content/content-key.ts'
import type { DashboardAddress } from '../control-plane/dashboard-address.ts'
import { delegatedAgent } from '../delegations/delegated-agent.ts'
import { chainFor, type Delegations, type Presented } from '../delegations/delegations.ts'
import type { Chain } from '../delegations/verified-delegation.ts'
import { type Decision, type JsonObject, loggedTool, passes, type ToolCall } from '../guard/guard.ts'
import type { SeenDefinition } from '../guard/tool-definition.ts'
import type { EnvironmentPins } from '../inventory/environment-pins.ts'
import { inventoryEntry } from '../inventory/inventory-entry.ts'
import { refuseTool } from '../inventory/refuse-tool.ts'
import { CallUses } from '../limits/call-uses.ts'
import type { RuleUseCounts } from '../limits/rule-use-counts.ts'
import type { Spool } from '../report/spool.ts'
import { type SessionSplit, sessionKey } from '../sessions/session-key.ts'
import { type Sessions, TooManyLabels } from '../sessions/sessions.ts'
import { applyContent, withMaskedName } from './apply-content.ts'
import { askedState, asksCalls, asksState, contextOf } from './call-context.ts'
import { CallResults } from './call-results.ts'
import { checkCall, type Outcome } from './check-call.ts'
import { applyDelegation } from './check-delegation.ts'
import { applyPins, lacksDefinition, type PinnedCall, refusalOf } from './check-pins.ts'
import { newDecisionId } from './decision-id.ts'
import type { HeldCall, HeldCalls } from './held-calls.ts'
import { type Keeping, keepArguments } from './keep-arguments.ts'
import { type Basis, recordOf } from './records.ts'

export interface DeciderParts {
  spool: Spool
  heldCalls: HeldCalls
  content: ContentGuard
  key: EnvironmentKey
  sessions: Sessions
  split: SessionSplit
  ruleUses: RuleUseCounts
  pins: Pick<EnvironmentPins, 'current'>
  /** Whether the operator of the edge lets people see arguments. */
  showArguments: boolean
  delegations: Pick<Delegations, 'verify' | 'refusalOf'>
  dashboard?: Pick<DashboardAddress, 'pageOf'>
  log: Logger
}

/** Decides the calls of one agent. Records each decision before it returns the decision. */
export class Decider {
  private readonly standing: AgentStanding
  private readonly parts: DeciderParts
  /** Applies content rules to the results of the calls. */
  readonly results: CallResults

  constructor(standing: AgentStanding, parts: DeciderParts) {
    this.standing = standing
    this.parts = parts
    this.results = new CallResults(standing, parts)
  }

  async decide(call: ToolCall): Promise<Decision> {
    let decision = await this.decideOnce(call)
    // The policy may have changed while the decision was being recorded.
    while (passes(decision) && !this.holds(decision)) decision = await this.decideOnce(call)
    return decision
  }

  /**
   * Whether a decision that lets a call pass is still valid under the profile in force. If not, the call does not pass by this decision, so
   * its uses of rules with limits no longer count, and its approval is not used.
   */
  holds(decision: Decision): boolean {
    const basis = this.results.basisOf(decision)
    const isValid = this.isValid(basis)
    if (!isValid) this.withdraw(decision)
    return isValid
  }

  /** See `Guard.withdraw`. */
  withdraw(decision: Decision): void {
    this.results.basisOf(decision)?.withdraw()
    // Otherwise the decision could become valid again, and its call would pass although its uses and its approval were given back.
    this.results.forget(decision)
  }

  private isValid(basis: Basis | undefined): boolean {
    const { profile, closed } = this.standing.now()
    if (closed !== null || basis?.profile.hash !== profile.hash) return false
    const pins = this.parts.pins.current
    if ((refusalOf(pins, basis.call)?.because ?? null) !== basis.refusedBecause) return false
    if (this.delegationRefusal(basis.delegation, basis.call) !== null) return false
    // Another call may have given a label to the session meanwhile.
    const labels = profile.policy.asksSession ? this.parts.sessions.labels(basis.session) : noLabels
    return askedState(profile.policy, basis.call, { labels, pins }) === basis.asked
  }

  /** See `Guard.mayList`. */
  mayList(tool: string, definition: SeenDefinition, declared: ReadonlySet<string> | null): boolean {
    const refusal = refuseTool(this.parts.pins.current, tool, definition)
    if (refusal !== null && (refusal.isAlways || this.standing.now().profile?.mode !== 'monitor')) return false
    return this.mayPass(tool, { definition, declared })
  }

  /** See `Guard.mayShow`. */
  mayShow(tool: string, args: readonly [JsonObject, ...JsonObject[]]): boolean {
    const standing = this.standing.now()
    if (standing.closed !== null) return false
    if (standing.profile.mode === 'monitor') return true
    const [first, ...otherArgs] = args
    const { sessions, pins } = this.parts
    const key = this.standing.agentId
    // What a list shows does not depend on whether limits are used up, because they are free again later.
    const known = { sessions, pins: pins.current, uses: noUses }
    const context = contextOf({ call: { tool }, labels: sessions.labels(key), key }, known)
    return checkCall({ tool, args: first, otherArgs }, standing, null, context).effect !== 'deny'
  }

  /** See `Guard.mayShowPrompt`. */
  mayShowPrompt(prompt: string, declared: ReadonlySet<string> | null): boolean {
    return this.mayPass(prompt, { declared })
  }

  /** See `Guard.mayShowUris`. */
  mayShowUris(tool: string, prefix: string): boolean {
    return this.mayPass(tool, { uriPrefix: prefix })
  }

  private mayPass(
    tool: string,
    known: { definition?: SeenDefinition; declared?: ReadonlySet<string> | null; uriPrefix?: string } = {},
  ): boolean {
    const { definition, declared: declaredArgs = null, uriPrefix } = known
    const { profile, closed } = this.standing.now()
    if (closed !== null) return false
    if (profile.mode === 'monitor') return true
    const { policy, agent, environment } = profile
    const inventory = inventoryEntry(this.parts.pins.current, tool, definition)
    return isToolName(tool) && mayPass(policy, { tool, agent, environment, inventory, declaredArgs }, uriPrefix)
  }

  /** @param earlier the uses of rules as an earlier attempt to decide this call found them */
  private async decideOnce(call: ToolCall, earlier?: CallUses): Promise<Decision> {
    call.signal?.throwIfAborted()
    const { agentId } = this.standing
    const startMs = performance.now()
    // If the policy has no conditions on arguments, no await runs here. So the policy cannot change between this check and the decision.
    if (call.learn && call.definition?.() === undefined) await this.learnDefinition(call, call.learn)
    const declared = this.asksArguments(call) && !(await this.isLacking(call)) ? await this.declaredArgs(call) : null
    const presented = this.presented(call)
    const delegation = presented && (await presented)
    const standing = this.standing.now()
    const { key, sessions, pins } = this.parts
    const session = sessions.resolve(agentId, sessionKey(agentId, call, this.parts.split))
    const before = sessions.use(session)
    const labels = [...before].sort()
    const inspected = this.inspect(standing, call)
    const found = inspected instanceof Promise ? await inspected : inspected
    const current = pins.current
    // The server may declare another definition while people are asked.
    const seen = call.definition?.()
    const refusal = refusalOf(current, call)
    const policy = standing.profile?.policy
    const uses = earlier?.isOf(policy) ? earlier : new CallUses(this.parts.ruleUses, agentId, policy)
    const calls = policy && asksCalls(policy, call) ? sessions.calls(session) : null
    const context = {
      ...contextOf({ call, labels: before, key: session }, { sessions, pins: current, uses }),
      isMatched: found !== null && found.verdict.matches.length > 0,
    }
    const texts = found ?? this.parts.content.maskedTexts(standing.profile?.content, call)
    const shown = texts.maskedClaims ? { ...call, ...texts.maskedClaims } : call
    const checked = applyDelegation(
      applyPins(checkCall(call, standing, declared, context), refusal),
      this.delegationRefusal(delegation, call),
    )
    const chain = chainFor(delegation, delegatedAgent(this.standing))
    const toolLabels = this.results.toolLabels(call)
    const ofContent = found?.verdict.labels ?? []
    const ofTool = call.tellsResult ? [] : [...toolLabels]
    const decided = withContext(
      found ? await applyContent(checked, call, found, key) : withMaskedName(checked, texts.maskedName),
      { labels, chain },
    )
    // `take` checks the counts only if the call is allowed. A call that waits for a person has no `take`, so its counts are checked here.
    if (decided.effect === 'require_approval' && !uses.confirm()) return await this.decideOnce(call, uses)
    let outcome = await this.settle(shown, decided)
    let given: readonly string[]
    // Another call may have been counted since the rules were evaluated. What a person approved is not decided again for it.
    const isCounted = calls === null || outcome.giveBack !== undefined || calls === sessions.calls(session)
    if (outcome.effect === 'allow' && !(isCounted && uses.take(outcome.usedRules))) {
      outcome.giveBack?.()
      return await this.decideOnce(call, uses)
    }
    const withdraw = () => {
      uses.release()
      outcome.giveBack?.()
    }
    const decisionId = newDecisionId()
    try {
      const durationUs = Math.round((performance.now() - startMs) * 1000)
      ;({ outcome, given } = this.noteInSession(session, { ofContent, ofTool }, call, outcome))
      if (outcome.effect === 'deny') withdraw()
      const kept = this.keepArguments(call, outcome, standing, { decisionId, declared, inspected: found })
      const recorded = { decisionId, agentId, durationUs, labels, chain, kept }
      await this.parts.spool.append(recordOf(recorded, shown, outcome), kept)
    } catch (error) {
      withdraw()
      // A call must not pass without a record. This applies in monitor mode too, because the purpose of monitor mode is its records.
      this.parts.log.error(
        { reason: (error as Error).message },
        'a decision cannot be recorded, so the edge denies the call: check the disk and the connection to the control plane',
      )
      const why = 'the decision cannot be recorded by the edge, so the call is denied'
      return { decisionId, verdict: 'deny', enforced: true, rule: null, reason: why, policyVersion: null }
    }
    const args =
      found && outcome.effect === 'allow' && outcome.mode === 'enforce' ? redactedArguments(found) : undefined
    const page = outcome.effect === 'allow' ? undefined : this.parts.dashboard?.pageOf(decisionId)
    const decision = decisionOf(decisionId, outcome, { args, page: page ?? undefined })
    const { profile, tool, digest, effect, mode } = outcome
    const refusedBecause = refusal?.because ?? null
    const after = new Set([...before, ...given])
    const asked = policy
      ? askedState(policy, { ...call, definition: () => seen }, { labels: after, pins: current })
      : ''
    if (profile)
      this.results.note(decision, {
        profile,
        tool,
        digest: digest ?? '',
        effect,
        mode,
        call: pinnedPart(call),
        refusedBecause,
        session,
        delegation,
        asked,
        withdraw,
        toolLabels,
      })
    return decision
  }

  /**
   * Gives labels to the session. If the call passes, also the labels of the tool, and counts the call. A call that would give the session too many
   * labels gives none. It passes only in monitor mode, because rules ask for these labels. Returns the labels that the call gave.
   */
  private noteInSession(
    session: string,
    { ofContent, ofTool }: { ofContent: readonly string[]; ofTool: readonly string[] },
    call: ToolCall,
    outcome: Outcome,
  ): { outcome: Outcome; given: readonly string[] } {
    const { effect, mode, profile } = outcome
    const isPassing = effect === 'allow' || mode === 'monitor'
    const { sessions, log } = this.parts
    let given = isPassing ? [...ofContent, ...ofTool] : ofContent
    try {
      sessions.add(session, given)
    } catch (error) {
      if (!(error instanceof TooManyLabels)) throw error
      log.warn({ agent_id: this.standing.agentId, session, reason: error.message }, 'a session has too many labels')
      given = []
      if (isPassing && mode === 'enforce') {
        const reason = `${error.message}, so the call is denied`
        return { outcome: { ...outcome, effect: 'deny', rule: null, reason, held: null }, given }
      }
    }
    if (isPassing && profile && asksCalls(profile.policy, call)) sessions.count(session)
    return { outcome, given }
  }

  /** Returns what is kept of the arguments of a call whose rules were evaluated, if its environment keeps arguments. */
  private keepArguments(
    call: ToolCall,
    { tool, digest }: Outcome,
    { profile, closed }: Standing,
    decided: Omit<Keeping, 'profile' | 'showArguments'>,
  ): KeptArguments | null {
    if (closed !== null || !profile.keepsArguments || digest === null || profile.content?.fault) return null
    const tools = [call.tool, ...(call.otherTools ?? [])]
    const { showArguments } = this.parts
    return keepArguments({ ...call, tool, otherTools: tools }, { ...decided, profile, showArguments })
  }

  /** Verifies the delegation that came with a call. Null if none came. A call without one awaits nothing here. */
  private presented({ delegation }: ToolCall): Promise<Presented> | null {
    return delegation === undefined ? null : this.parts.delegations.verify(delegation)
  }

  private delegationRefusal(delegation: Presented | null, { tool, otherTools = [] }: PinnedCall): string | null {
    if (delegation === null) return null
    return this.parts.delegations.refusalOf(delegation, {
      ...delegatedAgent(this.standing),
      tools: [tool, ...otherTools],
    })
  }

  /**
   * Asks the tool's server for its tools, if the edge has not seen the definition of the tool. If pins do not need it, the inventory does. Then each
   * server is asked once, and a call that the policy denies asks nothing.
   */
  private async learnDefinition(call: ToolCall, learn: NonNullable<ToolCall['learn']>): Promise<void> {
    const { tool } = call
    const policy = this.standing.now().profile?.policy
    const isAsked = policy !== undefined && asksState(policy, call)
    const isNeeded = isAsked || lacksDefinition(this.parts.pins.current, call)
    if (!(isNeeded || this.mayPass(tool)) || (await this.isLacking(call))) return
    await learn(isNeeded).catch((error: unknown) =>
      this.parts.log.warn(
        { tool: loggedTool(call), reason: (error as Error).message },
        'the edge cannot get the tool list of the tool server, so the definition of the tool is unknown',
      ),
    )
  }

  /** Denies a call that lacks what it needs. Asks people about a call that needs an approval. */
  private async settle(call: ToolCall, checked: Outcome): Promise<Outcome> {
    const mayPass = checked.held !== null || passes({ verdict: checked.effect, enforced: checked.mode === 'enforce' })
    const lacking = mayPass ? await this.lackingOf(call) : null
    if (lacking !== null) return { ...checked, ...denied(lacking, 'credential_missing'), mode: 'enforce', held: null }
    return checked.held ? await this.askPeople(call, checked, checked.held) : checked
  }

  /** True if the tool's server cannot be asked for the tools that it has, because the call lacks what it needs. */
  private async isLacking(call: ToolCall): Promise<boolean> {
    return (await this.lackingOf(call)) !== null
  }

  private async lackingOf({ lacking }: ToolCall): Promise<string | null> {
    try {
      return (await lacking?.()) ?? null
    } catch (error) {
      this.parts.log.warn(
        { err: error },
        'the edge cannot tell whether a call has what it needs, so it denies the call',
      )
      return 'the edge cannot tell whether the call has the credentials that it needs'
    }
  }

  /** Returns null if no content rules look at the arguments. */
  private inspect({ profile, closed }: Standing, call: ToolCall): Inspected | Promise<Inspected> | null {
    if (closed !== null || profile.content === null || profile.content.fault !== null) return null
    return this.parts.content.inspectArguments(this.standing.agentId, profile.content, call)
  }

  private asksArguments({ tool }: ToolCall): boolean {
    const { profile, closed } = this.standing.now()
    return closed === null && asksArguments(profile.policy, tool)
  }

  /**
   * Returns the arguments that the tool declares. Returns an empty list if the tool's server cannot be asked. Then every
   * argument counts as undeclared, and conditions on arguments fail closed.
   */
  private async declaredArgs(call: ToolCall): Promise<ReadonlySet<string> | null> {
    try {
      return (await call.declaredArgs?.()) ?? null
    } catch (error) {
      this.parts.log.warn(
        { tool: loggedTool(call), reason: (error as Error).message },
        'cannot get the tool list of the tool server, so the edge treats every argument of the call as undeclared',
      )
      return new Set()
    }
  }

  private async askPeople(call: ToolCall, checked: Outcome, held: HeldCall): Promise<Outcome> {
    const { approvalId, signal, sessionId, onBehalfOf } = call
    const { profile, tool } = held
    try {
      const { passed, ...settled } = await this.parts.heldCalls.settle(
        { ...held, claims: { sessionId, onBehalfOf }, stops: this.standing.stops },
        approvalId,
        signal,
      )
      if (!passed) return { ...checked, ...settled }
      // The policy may have changed while the edge asked for the approval.
      const now = this.standing.now()
      if (now.closed !== null) return { ...checked, ...settled, ...denied(now.closed, now.because) }
      if (now.profile.hash !== profile.hash)
        return { ...checked, ...settled, ...denied(policyChanged, 'policy_changed') }
      return { ...checked, ...settled, effect: 'allow' }
    } catch (error) {
      signal?.throwIfAborted()
      const why = (error as Error).message
      this.parts.log.warn(
        { agent_id: profile.agentId, tool, reason: why },
        'the edge cannot request or check the approval of a call, so it denies the call',
      )
      const reason = `this call needs a person's approval, which cannot be requested or checked: ${why}`
      return { ...checked, effect: 'deny', reason, deniedBecause: 'approval_unavailable' }
    }
  }
}

const noLabels: ReadonlySet<string> = new Set()

/** Adds the labels of the session and the delegation to what people see of a held call. */
function withContext(
  checked: Outcome,
  { labels, chain }: { labels: readonly string[]; chain: Chain | undefined },
): Outcome {
  const { held } = checked
  if (held === null || (labels.length === 0 && chain === undefined)) return checked
  const added = { ...(labels.length > 0 && { labels: [...labels] }), ...(chain && { chain: [...chain] }) }
  return { ...checked, held: { ...held, context: { ...held.context, ...added } } }
}

/** Leaves out the arguments, because the basis of a decision is kept until the answer comes. */
const pinnedPart = ({ tool, otherTools = [], definition }: ToolCall): PinnedCall => {
  return { tool, otherTools, ...(definition && { definition }) }
}

const policyChanged = 'the policy changed while the edge checked the approval; make the same call again'

function denied(reason: string, deniedBecause: DenialReason) {
  return { effect: 'deny', rule: null, reason, deniedBecause } as const
}

function decisionOf(
  decisionId: string,
  outcome: Outcome,
  { args, page }: { args: JsonObject | undefined; page: string | undefined },
): Decision {
  const { effect, mode, rule, reason, deniedBecause, profile, approval } = outcome
  const decided = { decisionId, verdict: effect, enforced: mode === 'enforce', rule, reason }
  return {
    ...decided,
    policyVersion: profile?.policyVersion ?? null,
    ...(approval && { approval }),
    ...(deniedBecause && { deniedBecause }),
    ...(args && { args }),
    ...(page && { page }),
  }
}
