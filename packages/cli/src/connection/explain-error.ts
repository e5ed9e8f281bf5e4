import { MandateError } from '@mandate/sdk/mandate-error'
import { CommanderError } from 'commander'
import { Failure } from '../failure.ts'
import { printable, printableLines } from '../output/printable.ts'

export interface Explanation {
  message: string
  /** What can be done about it. */
  hint?: string | undefined
  exitCode: number
}

/** What a person is told of anything thrown. */
export function explain(error: unknown, viaKey: boolean): Explanation {
  if (error instanceof Failure) {
    const { message, hint, exitCode } = error
    return { message: printableLines(message), hint: hint && printableLines(hint), exitCode }
  }
  if (error instanceof CommanderError) return { message: '', exitCode: error.exitCode === 0 ? 0 : 2 }
  if (error instanceof MandateError) {
    return { message: printable(error.message), hint: hintOf(error, viaKey), exitCode: 1 }
  }
  return { message: messageOf(error), exitCode: 1 }
}

function hintOf({ status, code, requestId, body }: MandateError, viaKey: boolean): string | undefined {
  if (status === 0) return code === 'timeout' ? undefined : 'is the address right, and is the server running?'
  if (status === 401) {
    return viaKey ? 'the key in MANDATE_API_KEY is unknown, revoked or expired' : 'sign in again: mandate login'
  }
  if (status === 402) {
    const { minimum_plan: plan } = (body ?? {}) as { minimum_plan?: unknown }
    return typeof plan === 'string' ? `the plan ${printable(plan)} includes it` : undefined
  }
  if (status === 403) return viaKey ? 'the key’s scopes, or its maker’s role, do not reach that far' : undefined
  if (status === 404) return 'no such thing, or none that you can see'
  if (status >= 500) return requestId && `the server’s log tells more under the request ${printable(requestId)}`
  return undefined
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A database that refuses a connection on every address says so in parts.
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join('; ')
  return error.message || error.name
}
