/** The rule that decided a call, where one did and not the policy's default. */
export interface DecidingRule {
  id: string
  name: string
}

/** The policy denies the call; the function was not run. */
export class ToolDenied extends Error {
  override readonly name = 'ToolDenied'
  readonly tool: string
  readonly reason: string
  readonly rule: DecidingRule | null
  /** Names the decision in the control plane. */
  readonly decisionId: string

  constructor(
    tool: string,
    { reason, rule, decisionId }: { reason: string; rule: DecidingRule | null; decisionId: string },
  ) {
    super(`${tool} is denied${rule ? ` by the rule “${rule.name}”` : ''}${reason && `: ${reason}`}`)
    this.tool = tool
    this.reason = reason
    this.rule = rule
    this.decisionId = decisionId
  }
}

/** The call waits for a person, or waited in vain; the function was not run. Calling again with the same arguments asks anew. */
export class ApprovalRequired extends Error {
  override readonly name = 'ApprovalRequired'
  readonly tool: string
  readonly reason: string
  readonly rule: DecidingRule | null
  readonly approvalId: string
  readonly expiresAt: Date

  constructor(
    tool: string,
    {
      reason,
      rule,
      approvalId,
      expiresAt,
    }: { reason: string; rule: DecidingRule | null; approvalId: string; expiresAt: Date },
  ) {
    super(`${tool} needs the approval ${approvalId}, open until ${expiresAt.toISOString()}${reason && `: ${reason}`}`)
    this.tool = tool
    this.reason = reason
    this.rule = rule
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
