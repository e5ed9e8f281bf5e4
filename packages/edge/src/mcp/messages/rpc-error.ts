import type { JsonObject, JsonValue } from './json.ts'

export const parseError = -32700
export const invalidRequest = -32600
export const methodNotFound = -32601
export const invalidParams = -32602
export const internalError = -32603
/** The headers do not match the body. This code is defined by the MCP revision 2026-07-28. */
export const headerMismatch = -32020
/** The server does not support the requested revision. This code is defined by the MCP revision 2026-07-28. */
export const unsupportedVersion = -32022
/**
 * The policy stopped the request, and the answer cannot be a tool result. The code is in the range that JSON-RPC leaves to
 * implementations.
 */
export const stoppedByPolicy = -32010
/** The tool server cannot be reached or gave no usable answer. */
export const upstreamFailed = -32011

/** Ends the text of an error if the tool server got the request, or may have got it, and gave no answer that the client gets. */
export const mayHaveTakenEffect = 'The request may have taken effect'

/** The text of the error for a request whose id is not unique. */
export const idIsOpen = 'Another request with this id has no answer yet: use another id'

export function rpcError(id: JsonValue | undefined, code: number, message: string, data?: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id: id ?? null, error: { code, message, ...(data && { data }) } }
}

/** Answers a request of a server that no client can get. */
export function answerForClient({ id, method }: JsonObject): JsonObject {
  if (method === 'ping') return { jsonrpc: '2.0', id: id ?? null, result: {} }
  return rpcError(id, methodNotFound, 'No client can get this request')
}

/** Returns the HTTP status for an error answer in the MCP revision 2026-07-28. The status is 504 if the server took too long. */
export function statusOf({ error }: JsonObject): number {
  if (typeof error !== 'object' || error === null || Array.isArray(error)) return 200
  if (error.code === methodNotFound) return 404
  if (error.code === upstreamFailed) return 504
  return [-32020, -32021, -32022].includes(error.code as number) ? 400 : 200
}
