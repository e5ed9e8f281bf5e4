import { codedErrors, type ErrorCode } from '@mandate/contract/errors'

/** A refusal the caller is told of. Everything else that is thrown is answered 500 without its message. */
export class Refusal extends Error {
  readonly status: number
  readonly code: ErrorCode | undefined
  /** Further top-level body fields. */
  readonly extra: Record<string, unknown>

  constructor(status: number, text: string, options: { code?: ErrorCode; extra?: Record<string, unknown> } = {}) {
    super(text)
    this.status = status
    this.code = options.code
    this.extra = options.extra ?? {}
  }
}

/** A coded refusal; its status and text stand in the contract. */
export function coded(code: ErrorCode, options: { text?: string; extra?: Record<string, unknown> } = {}): Refusal {
  const { status, text } = codedErrors[code]
  return new Refusal(status, options.text ?? text, { code, extra: options.extra })
}

export const invalid = (text: string) => new Refusal(400, text)
export const forbidden = (text: string) => new Refusal(403, text)
export const conflict = (text: string) => new Refusal(409, text)
/** The same for an unknown id, another tenant's row and a row the caller cannot see. */
export const notFound = (what: string) => new Refusal(404, `${what} not found`)

/** 402 with the plan that includes the feature. */
export function planRequired(minimumPlan: string, currentPlan: string): Refusal {
  return coded('plan_upgrade_required', { extra: { minimum_plan: minimumPlan, current_plan: currentPlan } })
}
