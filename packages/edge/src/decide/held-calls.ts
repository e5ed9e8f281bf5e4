import { randomUUID } from 'node:crypto'
import { Approval as WholeApproval } from '@mandate/contract/approvals'
import type { DenialReason } from '@mandate/contract/words/denial-words'
import { z } from 'zod'
import type { ActiveProfile } from '../carry/read-profile.ts'
import { AgentRequests } from '../control-plane/agent-requests.ts'
import { type Answer, type Asked, type ControlPlane, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import type { CallerClaims } from '../guard/caller-text.ts'
import type { HeldApproval, JsonObject } from '../guard/guard.ts'
import type { DecisionRecord } from '../report/spool.ts'
import type { StateSeal } from '../state/state-seal.ts'
import { shownArguments } from './redact.ts'

/** The fields of an approval that the edge uses. An earlier control plane does not send some of the others. */
const Approval = WholeApproval.pick({
  id: true,
  agent_id: true,
  args_digest: true,
  policy_id: true,
  policy_version: true,
  policy_hash: true,
  status: true,
  expires_at: true,
  comment: true,
}).extend({ chain: WholeApproval.shape.chain.optional() })
type Approval = z.output<typeof Approval>

/**
 * A call that needs approval, and the exact policy version that requires it. An approval is valid only for this call under
 * this policy version.
 */
export interface HeldCall {
  profile: ActiveProfile
  tool: string
  /** The arguments that people may see. Null if they may see none. */
  args: JsonObject | null
  /** SHA-256 over the RFC 8785 form of {tool, args}. HMAC-SHA-256 if a content pattern matched. */
  digest: string
  rule: { id: string; name: string } | null
  reason: string
  /** Who calls, as far as the caller says so. The people who decide see it. */
  claims?: CallerClaims
  /** How often the agent was stopped before. */
  stops?: number
  /** What content rules found, the labels of the session, and the delegation. The people who decide see it. */
  context?: Pick<DecisionRecord, 'content' | 'labels' | 'chain'>
}

/**
 * The state of a held call. If `passed` is true, the call may pass once. Otherwise it may not pass. Call `giveBack` if the call passed and is not
 * sent: the same call then passes by this approval.
 */
export type Settled =
  | { passed: true; approval: HeldApproval; reason: string; giveBack: () => void }
  | { passed: false; effect: 'require_approval'; approval: HeldApproval; reason: string }
  | { passed: false; effect: 'deny'; deniedBecause: DenialReason; approval: HeldApproval; reason: string }

const Kept = z.record(z.string(), z.object({ approval_id: z.string(), expires_at: z.string() }))
const mostKept = 10_000
const longestReason = 2000

/** Stores the calls that wait for approval, and the approvals that people gave. */
export class HeldCalls {
  private readonly plane: ControlPlane
  private readonly write: (text: string) => Promise<void>
  private readonly showArguments: boolean
  /** The last requested approval for each call. A repeated call finds its approval here. */
  private readonly kept: Map<string, { approval_id: string; expires_at: string }>
  /** Used approvals whose call was not sent, by call. `under` says when each was used: under which profile, and after how many stops. */
  private readonly unused = new Map<string, { approval: HeldApproval; under: string }>()
  private readonly underWay = new Map<string, Promise<Settled>>()
  private readonly requests: AgentRequests
  private saving: Promise<void> = Promise.resolve()
  /** The scheduled write that has not started yet, or null. It will include all changes that are made before it starts. */
  private nextSave: Promise<void> | null = null

  private constructor(
    plane: ControlPlane,
    write: (text: string) => Promise<void>,
    showArguments: boolean,
    kept: z.output<typeof Kept>,
    requests: AgentRequests,
  ) {
    this.requests = requests
    this.plane = plane
    this.write = write
    this.showArguments = showArguments
    this.kept = new Map(Object.entries(kept))
  }

  static async open(
    seat: string,
    plane: ControlPlane,
    showArguments: boolean,
    seal: StateSeal,
    requests = new AgentRequests(),
  ): Promise<HeldCalls> {
    const file = seal.fileIn(seat, 'held-calls')
    const kept = Kept.safeParse(await seal.read(file, 'held calls')).data ?? {}
    return new HeldCalls(plane, (text) => seal.replace(file, 'held calls', text), showArguments, kept, requests)
  }

  /**
   * Lets an approved call pass once. Requests an approval if the call does not have one.
   * @throws TooManyRequests, and the errors of `ControlPlane`
   */
  async settle(call: HeldCall, named: string | undefined, signal?: AbortSignal): Promise<Settled> {
    const key = keyOf(call)
    // Identical calls are settled one after the other. Otherwise two calls at the same time would request two approvals, or
    // would both try to use one approval.
    const before = this.underWay.get(key)
    const mine = (before ?? Promise.resolve())
      .then(noMatter, noMatter)
      .then(() => this.settleOne(call, key, named, signal))
    this.underWay.set(key, mine)
    try {
      return await mine
    } finally {
      if (this.underWay.get(key) === mine) this.underWay.delete(key)
    }
  }

  private async settleOne(
    call: HeldCall,
    key: string,
    named: string | undefined,
    signal?: AbortSignal,
  ): Promise<Settled> {
    const unused = await this.takeUnused(key, call, signal)
    if (unused) return this.passing(unused, key, call)
    for (const id of new Set([named, this.lastAsked(key)])) {
      const found = id === undefined ? null : await this.find(id, call, signal)
      if (found === null) continue
      if (found.status === 'pending') return waiting(found, call)
      if (found.status === 'rejected') return rejected(found)
      if (found.status === 'approved') {
        const used = await this.consume(found, call, key)
        if (used) return used
        // If the approval is still valid, the control plane refused it because of the agent or its policy. A new approval would
        // be refused too.
        if ((await this.find(found.id, call, signal))?.status === 'approved') return unusable(found)
      }
    }
    return waiting(await this.request(call, key, signal), call)
  }

  private passing(approval: HeldApproval, key: string, call: HeldCall): Settled {
    const under = underOf(call)
    let isGiven = false
    const giveBack = () => {
      if (isGiven) return
      isGiven = true
      this.unused.set(key, { approval, under })
      if (this.unused.size > mostKept) this.unused.delete(this.unused.keys().next().value as string)
    }
    return { passed: true, approval, reason: 'approved by a person', giveBack }
  }

  /**
   * Returns an approval that was used for this call before, if the call was not sent. A freeze or a suspension ends approvals. So the approval is
   * valid only under the profile under which it was used, before the next stop of the agent, and while the control plane can be reached.
   */
  private async takeUnused(key: string, call: HeldCall, signal: AbortSignal | undefined): Promise<HeldApproval | null> {
    const found = this.unused.get(key)
    if (found === undefined) return null
    const { approvalId, expiresAt } = found.approval
    const isValid = found.under === underOf(call) && Date.parse(expiresAt) > Date.now()
    const isUsed = isValid && (await this.find(approvalId, call, signal))?.status === 'consumed'
    this.unused.delete(key)
    return isUsed ? found.approval : null
  }

  /**
   * Returns the id of the newest approval that was requested for a call, or undefined if that approval has expired. This
   * includes an approval that a person rejected, so the call stays refused until the approval expires.
   */
  private lastAsked(key: string): string | undefined {
    const kept = this.kept.get(key)
    return kept && Date.parse(kept.expires_at) > Date.now() ? kept.approval_id : undefined
  }

  /** Asks the control plane because of a call. @throws TooManyRequests, and the errors of `ControlPlane` */
  private ask({ profile }: HeldCall, asked: Asked): Promise<Answer> {
    this.requests.count(profile.agentId)
    return this.plane.ask(asked)
  }

  /** Returns the approval if it belongs to exactly this call. */
  private async find(id: string, call: HeldCall, signal?: AbortSignal): Promise<Approval | null> {
    try {
      const { body } = await this.ask(call, { path: `/edge/approvals/${encodeURIComponent(id)}`, signal })
      const { data } = Approval.safeParse(body)
      return data && fits(data, call) ? data : null
    } catch (error) {
      if (error instanceof ControlPlaneRefused && (error.status === 404 || error.status === 400)) return null
      throw error
    }
  }

  /**
   * Consumes an approval. Returns null if the control plane refuses, because the approval was used before or has expired, or
   * because another policy is in force.
   */
  private async consume({ id }: Approval, call: HeldCall, key: string): Promise<Settled | null> {
    const { digest, profile } = call
    const body = { args_digest: digest, policy_version: profile.policyVersion, policy_hash: profile.policyHash }
    try {
      const path = `/edge/approvals/${id}/consume`
      // A client that disconnects does not end this request. Otherwise the approval would be used up without a call.
      const { data } = Approval.safeParse((await this.ask(call, { method: 'POST', path, body })).body)
      if (data?.id !== id || data.status !== 'consumed') return null
      this.kept.delete(key)
      await this.save()
      return this.passing(heldApproval(data), key, call)
    } catch (error) {
      if (error instanceof ControlPlaneRefused && error.status === 409) return null
      throw error
    }
  }

  private async request(call: HeldCall, key: string, signal?: AbortSignal): Promise<Approval> {
    const { profile, tool, args, digest, rule, reason, claims = {}, context } = call
    const { sessionId, onBehalfOf } = claims
    const shown = this.showArguments && args ? shownArguments(args) : null
    const body = {
      approval_id: randomUUID(),
      agent_id: profile.agentId,
      tool,
      args_digest: digest,
      ...(shown && { arguments: shown }),
      ...context,
      policy_id: profile.policyId,
      policy_version: profile.policyVersion,
      policy_hash: profile.policyHash,
      ...(rule && { rule_id: rule.id, rule_name: rule.name }),
      ...(sessionId !== undefined && { session_id: sessionId }),
      ...(onBehalfOf !== undefined && { on_behalf_of: onBehalfOf }),
      reason: [...reason].slice(0, longestReason).join(''),
    }
    const { body: answer } = await this.ask(call, { method: 'POST', path: '/edge/approvals', body, signal })
    const asked = Approval.parse(answer)
    this.kept.set(key, { approval_id: asked.id, expires_at: asked.expires_at })
    await this.save()
    return asked
  }

  /**
   * Writes the ids of the requested approvals to disk, one write at a time. Calls that arrive during a write share the next
   * write. If a write fails, the edge may request the same approvals again after a restart.
   */
  private save(): Promise<void> {
    this.nextSave ??= this.saving.then(async () => {
      this.nextSave = null
      await this.write(this.textOfKept()).catch(() => {})
    })
    this.saving = this.nextSave
    return this.nextSave
  }

  private textOfKept(): string {
    const now = new Date().toISOString()
    for (const [key, { expires_at }] of this.kept) if (expires_at < now) this.kept.delete(key)
    while (this.kept.size > mostKept) this.kept.delete(this.kept.keys().next().value as string)
    return JSON.stringify(Object.fromEntries(this.kept))
  }
}

function keyOf({ profile, digest, context }: HeldCall): string {
  const { agentId, policyId, policyVersion, policyHash } = profile
  return [agentId, policyId, policyVersion, policyHash, digest, ...linksOf(context?.chain)].join(' ')
}

const underOf = ({ profile, stops = 0 }: HeldCall) => `${profile.seq} ${stops}`

/** Whether the approval is for the call, made for the same person by the same agents. */
function fits(approval: Approval, { profile, digest, context }: HeldCall): boolean {
  return (
    linksOf(approval.chain).join() === linksOf(context?.chain).join() &&
    approval.agent_id === profile.agentId &&
    approval.args_digest === digest &&
    approval.policy_id === profile.policyId &&
    approval.policy_version === profile.policyVersion &&
    approval.policy_hash === profile.policyHash
  )
}

const linksOf = (chain: DecisionRecord['chain'] = []) => chain.map(({ type, id }) => `${type}:${id}`)

function waiting(approval: Approval, call: HeldCall): Settled {
  const reason = `${call.reason.replace(/\.$/, '')}; a person must approve this call: make the same call again once approval ${approval.id} is given`
  return { passed: false, effect: 'require_approval', approval: heldApproval(approval), reason }
}

function rejected(approval: Approval): Settled {
  const until = `the same call stays denied until ${approval.expires_at}`
  const reason = `a person denied this call, and ${until}${approval.comment ? `: ${approval.comment}` : ''}`
  return { passed: false, effect: 'deny', deniedBecause: 'rejected', approval: heldApproval(approval), reason }
}

function unusable(approval: Approval): Settled {
  const why = 'its policy is no longer in force, or the agent may not act now'
  const reason = `the control plane does not let approval ${approval.id} be used: ${why}`
  return { passed: false, effect: 'deny', deniedBecause: 'approval_unusable', approval: heldApproval(approval), reason }
}

function heldApproval({ id, expires_at, status }: Approval): HeldApproval {
  return { approvalId: id, expiresAt: expires_at, status }
}

function noMatter(): void {}
