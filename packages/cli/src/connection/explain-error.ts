import { fileFault } from '@mandate/edge/file-fault'
import { protocolHint, proxyHint } from '@mandate/edge/http-address'
import { readProxies } from '@mandate/edge/outgoing/proxies'
import { MandateError } from '@mandate/sdk/mandate-error'
import { CommanderError } from 'commander'
import { Failure } from '../invocation/failure.ts'
import { invocation } from '../invocation/invocation.ts'
import { printable, printableLines } from '../output/printable.ts'

export interface Explanation {
  /** Undefined for errors that commander has already printed. */
  message: string | undefined
  /** What the user can do about it. */
  hint?: string | undefined
  exitCode: number
}

/** Turns any thrown value into a message, a hint and an exit code. @param viaKey whether the command uses an API key */
export function explain(error: unknown, viaKey: boolean): Explanation {
  if (error instanceof Failure) {
    const { message, hint, exitCode } = error
    return { message: printableLines(message), hint: hint && printableLines(hint), exitCode }
  }
  if (error instanceof CommanderError) return { message: undefined, exitCode: error.exitCode === 0 ? 0 : 2 }
  if (error instanceof MandateError) {
    return { message: printable(error.message), hint: hintOf(error, viaKey), exitCode: 1 }
  }
  return { message: messageOf(error), exitCode: 1 }
}

function hintOf({ status, code, requestId, body, message }: MandateError, viaKey: boolean): string | undefined {
  if (status === 0 && code === 'timeout') return undefined
  if (status === 0) return connectionHint(message)
  if (status === 407) return proxyHint(status)
  // Every answer of the server is JSON.
  if (typeof body === 'string' && body.trim() !== '')
    return 'the answer is not from Mandate, but from a proxy or another program: check the address with its path, and that Mandate runs behind it'
  if (status === 401 && code !== 'unreadable') {
    return viaKey ? 'the key in MANDATE_API_KEY is unknown, revoked or expired' : 'sign in again: mandate login'
  }
  if (status === 402) {
    const { minimum_plan: plan } = (body ?? {}) as { minimum_plan?: unknown }
    return typeof plan === 'string' ? `the ${printable(plan)} plan includes this feature` : undefined
  }
  // If a read-only user is refused, the answer says so. Scopes and the role are not the reason.
  if (status === 403)
    return viaKey && !message.includes('read-only')
      ? 'the key’s scopes or its creator’s role do not allow this'
      : undefined
  if (status === 404) return 'it does not exist, or you cannot see it'
  if (status >= 500) return requestId && `search the server’s log for the request id ${printable(requestId)}`
  return undefined
}

/** @param message contains what `connectionFault` returned */
function connectionHint(message: string): string {
  if (message.includes('it redirects to ')) return 'use the address that it redirects to, if it is that of Mandate'
  const hint = protocolHint(message)
  if (hint !== undefined) return hint
  if (/^http:.*(ECONNRESET|UND_ERR_SOCKET)/.test(message))
    return 'the server closed the connection: if it uses TLS, use an address with https://'
  const running = hasProxy() ? 'the server and the proxy of HTTP_PROXY or HTTPS_PROXY are' : 'the server is'
  return `check the address, and that ${running} running`
}

function hasProxy(): boolean {
  try {
    return readProxies(invocation().env) !== undefined
  } catch {
    return true
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A connection that fails on every address of a host throws one error per address.
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join('; ')
  const fault = fileFault(error)
  if (fault === undefined) return error.message || error.name
  const { path, dest } = error as NodeJS.ErrnoException & { dest?: string }
  return printable(`${dest ?? path ?? 'the file cannot be used'}: ${fault}`)
}
