import { type Decision, decisionIn } from '@mandate/sdk/ask-edge'
import { Failure } from '../invocation/failure.ts'
import { printable } from '../output/printable.ts'
import { version } from '../server/version.ts'
import type { ServedTool } from './find-served-tool.ts'
import {
  asObject,
  errorIn,
  exchangeMessage,
  type JsonObject,
  type McpResponse,
  NoAnswerInTime,
} from './mcp-exchange.ts'
import { resultText } from './result-text.ts'

/** A call that went through the edge. */
export interface Called {
  decision: Decision
  /** True if the edge redacted arguments. */
  isRedacted: boolean
  /** What the tool server answered. Null if the edge stopped the call. */
  result: JsonObject | null
}

/** The newest MCP revision with sessions, and the first one without. */
const withSessions = '2025-11-25'
const withoutSessions = '2026-07-28'
const shortLimitMs = 20_000
const callLimitMs = 60_000
const clientInfo = { name: 'mandate-try', version }

/**
 * Calls a tool as an MCP client of the agent. The edge decides the call, and executes it if the decision lets it pass.
 * @param argsJson the JSON text of the arguments. It is sent as it is, because the edge refuses texts that parsers read differently
 * @throws Failure if there is no decision, or no result of a call that passed
 */
export async function callTool({ url, name }: ServedTool, token: string, argsJson: string): Promise<Called> {
  const authorization = { authorization: `Bearer ${token}` }
  const call = (headers: Record<string, string>, meta: object) =>
    exchangeMessage({
      url,
      headers: { ...authorization, ...headers, 'mandate-decision': 'tell' },
      body: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${argsJson},"_meta":${JSON.stringify(meta)}}}`,
      id: 2,
      timeoutMs: callLimitMs,
    }).catch((error: Error) => {
      throw new Failure(`${error.message}; the tool may have been executed`, {
        hint: 'npx mandate decisions list shows whether the edge let the call pass',
      })
    })
  if (await hasNoSessions(url, authorization)) {
    const headers = { ...statelessHeaders('tools/call'), 'mcp-name': headerText(name) }
    return calledBy(await call(headers, statelessMeta))
  }
  const session = await openSession(url, authorization)
  try {
    return calledBy(await call(session, {}))
  } finally {
    if (session['mcp-session-id'] !== undefined)
      await fetch(url, {
        method: 'DELETE',
        headers: { ...authorization, ...session },
        redirect: 'error',
        signal: AbortSignal.timeout(shortLimitMs),
      }).catch(() => {})
  }
}

const statelessMeta = {
  'io.modelcontextprotocol/protocolVersion': withoutSessions,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
}
const statelessHeaders = (method: string) => ({ 'mcp-protocol-version': withoutSessions, 'mcp-method': method })

/** Whether the server supports the revision without sessions. Then its process, and what it has in memory, stay between two calls. */
async function hasNoSessions(url: URL, authorization: Record<string, string>): Promise<boolean> {
  const response = await exchangeMessage({
    url,
    headers: { ...authorization, ...statelessHeaders('server/discover') },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: statelessMeta } }),
    id: 1,
    timeoutMs: shortLimitMs,
  }).catch((error: unknown) => {
    // A server of an earlier revision may not answer a request before its handshake.
    if (error instanceof NoAnswerInTime) return undefined
    throw error
  })
  const versions = asObject(response?.answer?.result)?.supportedVersions
  return Array.isArray(versions) && versions.includes(withoutSessions)
}

/** Makes the handshake of a session. Returns the headers of its further requests. @throws Failure */
async function openSession(url: URL, authorization: Record<string, string>): Promise<Record<string, string>> {
  const params = { protocolVersion: withSessions, capabilities: {}, clientInfo }
  const timeoutMs = callLimitMs
  const opened = await exchangeMessage({
    url,
    headers: authorization,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    id: 1,
    timeoutMs,
  })
  const error = errorIn(opened)
  if (error !== undefined)
    throw new Failure(`the tool server cannot be called: ${error}`, {
      hint: 'to ask for the decision only, add --decide-only',
    })
  const id = opened.headers.get('mcp-session-id')
  const agreed = asObject(opened.answer?.result)?.protocolVersion
  const session = {
    'mcp-protocol-version': typeof agreed === 'string' ? agreed : withSessions,
    ...(id !== null && { 'mcp-session-id': id }),
  }
  const body = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
  await exchangeMessage({ url, headers: { ...authorization, ...session }, body, id: undefined, timeoutMs })
  return session
}

/** Reads the answer to a call. The edge names the decision in a header if the call passed, and in the answer if it stopped the call. */
function calledBy(response: McpResponse): Called {
  const told = jsonIn(response.headers.get('mandate-decision'))
  const result = asObject(response.answer?.result)
  const error = errorIn(response)
  if (told === undefined) {
    const meta = asObject(result?._meta)
    const approval = meta?.['mandate/approval']
    const decision = decisionIn({
      ...asObject(meta?.['mandate/decision']),
      enforced: true,
      approval,
    })
    if (!decision) throw new Failure(`the edge made no decision: ${error ?? saidIn(result)}`)
    return { decision, isRedacted: false, result: null }
  }
  const decision = decisionIn(told)
  if (!decision) throw new Failure('the edge’s response has no valid decision; the call may have been executed')
  if (error !== undefined || !result)
    throw new Failure(
      `the edge let the call pass (decision ${decision.decisionId}), and it has no result: ${error ?? 'no answer'}`,
    )
  if (result.resultType !== undefined && result.resultType !== 'complete')
    throw new Failure('the tool asks for more input, which mandate try cannot give', {
      hint: `the edge let the call pass (decision ${decision.decisionId})`,
    })
  return { decision, isRedacted: told.redacted === true, result }
}

function saidIn(result: JsonObject | undefined): string {
  return result ? printable(resultText(result)) : 'its answer has no result'
}

function jsonIn(header: string | null): JsonObject | undefined {
  if (header === null) return undefined
  try {
    return asObject(JSON.parse(header)) ?? {}
  } catch {
    return {}
  }
}

/** Writes a name for a header: a name of other characters than visible ASCII in the form that MCP defines. */
function headerText(name: string): string {
  return /^(?!=\?)[\x21-\x7e]+$/.test(name) ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`
}
