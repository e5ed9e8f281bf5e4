import { connectionFault, protocolHint } from '../../http-address.ts'
import { EffectUnknown, ServerRefused } from './server-refused.ts'

/** Explains to the client why a request has no usable answer. An error without its own explanation means that the request was not sent. */
export function asRefusal(error: unknown): ServerRefused {
  return error instanceof ServerRefused ? error : new ServerRefused(`The tool server cannot be reached${codeOf(error)}`)
}

/** Explains to the client why a request that was sent has no answer. */
export function notAnswered(error: Error): EffectUnknown {
  const { reason, status } = whyNoAnswer(error)
  return new EffectUnknown(reason, status, { cause: error })
}

function whyNoAnswer(error: Error): { reason: string; status?: number } {
  if (error instanceof ServerRefused) return { reason: error.message, status: error.status }
  if (error.name === 'TimeoutError') return { reason: 'The tool server took too long to answer', status: 504 }
  const code = codeOf(error)
  return {
    reason: code.startsWith(' (HPE_')
      ? `The tool server gave no valid HTTP answer${code}`
      : `The connection to the tool server broke before it answered${code}`,
  }
}

/** Returns the code of an error, and what to do about it. Other texts of errors may contain a secret part of the server's address. */
function codeOf(error: unknown): string {
  const fault = connectionFault(error)
  // Codes of OpenSSL may have digits and a slash, such as ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE.
  if (!/^(?:[A-Z][A-Z0-9_/]*|the proxy answered \d+)$/.test(fault)) return ''
  const remedy = protocolHint(fault)
  return remedy === undefined ? ` (${fault})` : ` (${fault}): ${remedy}`
}
