import type { JsonObject, JsonValue } from './json.ts'

export const parseError = -32700
export const invalidRequest = -32600
export const methodNotFound = -32601
export const invalidParams = -32602
export const internalError = -32603
/** Headers that say something else than the body, as the 2026-07-28 revision numbers it. */
export const headerMismatch = -32020
/** A revision that the server does not serve, as the 2026-07-28 revision numbers it. */
export const unsupportedVersion = -32022
/** Stopped by policy, where the answer cannot be a tool's result. In the range left to implementations. */
export const stoppedByPolicy = -32010
/** The tool server cannot be reached or gave no usable answer. */
export const upstreamFailed = -32011

export function rpcError(id: JsonValue | undefined, code: number, message: string, data?: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id: id ?? null, error: { code, message, ...(data && { data }) } }
}

/** The HTTP status that the 2026-07-28 revision gives the answer to a request. 504 for a server that took too long. */
export function statusOf({ error }: JsonObject): number {
  if (typeof error !== 'object' || error === null || Array.isArray(error)) return 200
  if (error.code === methodNotFound) return 404
  if (error.code === upstreamFailed) return 504
  return [-32020, -32021, -32022].includes(error.code as number) ? 400 : 200
}
