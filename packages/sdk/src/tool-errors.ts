/** The rule that decided a call, where one did and not the policy's default. */
export interface DecidingRule {
  id: string
  name: string
}

interface Verdict {
  reason: string
  rule: DecidingRule | null
}

/** What the edge decided keeps the function from being run. */
class ToolStopped extends Error {
  readonly tool: string
  readonly reason: string
  readonly rule: DecidingRule | null

  constructor(tool: string, { reason, rule }: Verdict, what: string) {
    super(`${tool} ${what}${reason && `: ${reason}`}`)
    this.tool = tool
    this.reason = reason
    this.rule = rule
  }
}

/** The policy denies the call; the function was not run. */
export class ToolDenied extends ToolStopped {
  override readonly name = 'ToolDenied'
  /** Names the decision in the control plane. */
  readonly decisionId: string

  constructor(tool: string, verdict: Verdict & { decisionId: string }) {
    super(tool, verdict, `is denied${verdict.rule ? ` by the rule “${verdict.rule.name}”` : ''}`)
    this.decisionId = verdict.decisionId
  }
}

/** The call waits for a person, or waited in vain; the function was not run. Calling again with the same arguments asks anew. */
export class ApprovalRequired extends ToolStopped {
  override readonly name = 'ApprovalRequired'
  readonly approvalId: string
  readonly expiresAt: Date

  constructor(tool: string, verdict: Verdict & { approvalId: string; expiresAt: Date }) {
    const { approvalId, expiresAt } = verdict
    super(tool, verdict, `needs the approval ${approvalId}, open until ${expiresAt.toISOString()}`)
    this.approvalId = approvalId
    this.expiresAt = expiresAt
  }
}

/** No decision could be had from the edge, so the function was not run. */
export class EdgeUnavailable extends Error {
  override readonly name = 'EdgeUnavailable'
  readonly tool: string

  constructor(tool: string, why: string, cause?: unknown) {
    super(`${tool} is not run: ${why}`, cause === undefined ? undefined : { cause })
    this.tool = tool
  }
}
