import type { Decision } from '../../guard/guard.ts'
import type { Exchange } from './exchange.ts'

/** The header with which a client asks for the decision (`tell`), and in which the edge answers. */
export const decisionHeader = 'mandate-decision'

/** Clients accept 16 KiB of headers, and a character can take 6 bytes. */
const longestText = 500

/**
 * Tells a client that asked for it which decision lets its call pass, in a header of the response. A decision that stops a call is in the body of the
 * response. Only the edge writes the header, so a tool server cannot make a call look stopped.
 */
export function tellDecision({ request, response }: Exchange, decision: Decision | undefined): void {
  if (request.headers[decisionHeader] !== 'tell' || response.headersSent) return
  if (decision) response.setHeader(decisionHeader, asHeader(decision))
  else response.removeHeader(decisionHeader)
}

function asHeader({ decisionId, verdict, enforced, rule, reason, policyVersion, args }: Decision): string {
  const told = {
    decision_id: decisionId,
    verdict,
    enforced,
    rule: rule && { id: rule.id, name: cut(rule.name) },
    reason: cut(reason),
    policy_version: policyVersion,
    ...(args && { redacted: true }),
  }
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  // Without the flag `u`, so that each half of a surrogate pair has its own escape sequence.
  return JSON.stringify(told).replace(/[^\x20-\x7e]/g, escaped)
}

const cut = (text: string) => text.slice(0, longestText)
