/** The rule that decided a call. */
export interface DecidingRule {
  id: string
  name: string
}

interface Verdict {
  reason: string
  rule: DecidingRule | null
  page: string | undefined
}

/** Base class of the errors that are thrown if the edge decides that a call may not run. */
class ToolStopped extends Error {
  readonly tool: string
  readonly reason: string
  readonly rule: DecidingRule | null
  /** URL of the decision in the dashboard. Undefined if the edge does not know the address of the dashboard. */
  readonly page: string | undefined

  constructor(tool: string, { reason, rule, page }: Verdict, what: string) {
    super(`${tool} ${what}${reason && `: ${reason}`}${page === undefined ? '' : `. See ${page}`}`)
    this.page = page
    this.tool = tool
    this.reason = reason
    this.rule = rule
  }
}

/** The policy denies the call. The function did not run. */
export class ToolDenied extends ToolStopped {
  override readonly name = 'ToolDenied'
  /** Id of the decision in the control plane. */
  readonly decisionId: string

  constructor(tool: string, verdict: Verdict & { decisionId: string }) {
    super(tool, verdict, `is denied${verdict.rule ? ` by the rule “${verdict.rule.name}”` : ''}`)
    this.decisionId = verdict.decisionId
  }
}

/**
 * The call needs a person's approval, or the approval that it waited for is no longer valid. The function did not run. Call it
 * again: the call then uses the approval if a person gave it, and otherwise requests an approval.
 */
export class ApprovalRequired extends ToolStopped {
  override readonly name = 'ApprovalRequired'
  readonly approvalId: string
  readonly expiresAt: Date

  constructor(tool: string, verdict: Verdict & { approvalId: string; expiresAt: Date }) {
    const { approvalId, expiresAt } = verdict
    super(tool, verdict, `needs the approval ${approvalId}, which expires at ${expiresAt.toISOString()}`)
    this.approvalId = approvalId
    this.expiresAt = expiresAt
  }
}

/** The edge gave no valid decision. The function did not run. */
export class EdgeUnavailable extends Error {
  override readonly name = 'EdgeUnavailable'
  readonly tool: string

  constructor(tool: string, why: string, cause?: unknown) {
    super(`${tool} did not run: ${why}`, cause === undefined ? undefined : { cause })
    this.tool = tool
  }
}
