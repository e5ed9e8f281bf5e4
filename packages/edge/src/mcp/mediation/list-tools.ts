import { randomUUID } from 'node:crypto'
import type { Guard } from '../../guard/guard.ts'
import { ownMetaFor } from '../messages/check-stateless-request.ts'
import { closingOf } from '../messages/closed-answer.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { isObject } from '../messages/read-message.ts'
import { methodNotFound } from '../messages/rpc-error.ts'

/**
 * Sends a request of the edge itself to the tool server, and resolves with the answer. Resolves with null if there is no valid
 * session for the request. The caller needs no error then, because the tool call will fail for the same reason.
 */
export type AskServer = (request: JsonObject) => Promise<JsonObject | null>

const maxPages = 100
export const askTimeoutMs = 10_000

/**
 * Requests all tools of a server, page by page. Returns nothing, because the code that reads the server's answers stores the
 * tools. `call` contains the parameters of the tool call that needs the list. Only its revision and known capabilities are told
 * to the server, because the call is not decided yet. A server that does not know `tools/list` counts as a server
 * without tools. A cursor that repeats ends the list. Sends nothing while the edge is closed (denies every call of the agent).
 * @throws if the tools cannot be listed
 */
export async function listTools(guard: Pick<Guard, 'closing'>, ask: AskServer, call: JsonObject): Promise<void> {
  const meta = ownMetaFor(call)
  const seen = new Set<string>()
  let cursor: JsonValue | undefined
  for (let page = 0; page < maxPages; page++) {
    const params = { ...(meta && { _meta: meta }), ...(cursor !== undefined && { cursor }) }
    const id = `mandate-tools-${randomUUID()}`
    const closing = closingOf(guard)
    if (closing !== null)
      throw new Error(
        `the edge denies every call of the agent, so it does not ask the tool server for its tools: ${closing.reason}`,
      )
    const answer = await ask({ jsonrpc: '2.0', id, method: 'tools/list', params })
    if (answer === null) return
    if (isObject(answer.error) && answer.error.code === methodNotFound) return
    if (!isObject(answer.result) || !Array.isArray(answer.result.tools))
      throw new Error('the tool server did not answer tools/list with a list of tools')
    cursor = answer.result.nextCursor
    // Some servers send an empty cursor after the last page, and refuse a request with it.
    if (cursor === undefined || cursor === null || cursor === '') return
    // The cursor leads to a page that was read.
    if (seen.has(JSON.stringify(cursor))) return
    seen.add(JSON.stringify(cursor))
  }
  throw new Error(`the tool server has more than ${maxPages} pages of tools`)
}
