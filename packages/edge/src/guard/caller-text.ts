import { isLonger } from '@mandate/contract/fields/text-length'

/** Maximum lengths in Unicode code points, as the control plane accepts them. */
export const longestSessionId = 128
export const longestOnBehalfOf = 200

/** Who makes a call, as the agent says. Nobody has verified it, so no decision depends on it, unless the operator lets callers separate sessions. */
export interface CallerClaims {
  /** The agent's session. 1 to 128 characters. */
  readonly sessionId?: string | undefined
  /** For whom the agent acts. 1 to 200 characters. */
  readonly onBehalfOf?: string | undefined
}

/** Whether a value is a text of 1 to `max` characters that the control plane can store: without NUL and unpaired surrogates. */
export function isCallerText(value: unknown, max: number): value is string {
  return typeof value === 'string' && value !== '' && !isLonger(value, max) && isStorable(value)
}

/** Returns the valid claims. Leaves out a claim that is invalid. */
export function validClaims({ sessionId, onBehalfOf }: { sessionId: unknown; onBehalfOf: unknown }): CallerClaims {
  return {
    ...(isCallerText(sessionId, longestSessionId) && { sessionId }),
    ...(isCallerText(onBehalfOf, longestOnBehalfOf) && { onBehalfOf }),
  }
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
