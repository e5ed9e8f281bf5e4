import type { IncomingHttpHeaders } from 'node:http'
import type { JsonObject } from './json.ts'
import { mirroredNames } from './methods.ts'
import { isObject } from './read-message.ts'

const wrapped = /^=\?base64\?(.*)\?=$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Describes the first mismatch between the headers of a request and its body. Returns null if they match. The edge decides by
 * the method and the name in the body. A server may route by the headers, so the headers must not name another method or tool.
 * An absent header is not a mismatch.
 */
export function checkMirroredHeaders(headers: IncomingHttpHeaders, messages: readonly JsonObject[]): string | null {
  const { 'mcp-method': method, 'mcp-name': name, 'mcp-protocol-version': version } = headers
  const [message] = messages
  const params = message && isObject(message.params) ? message.params : {}
  if (method !== undefined && (messages.length !== 1 || method !== message?.method)) {
    return 'Mcp-Method is not the method of the message'
  }
  if (name !== undefined) {
    const parameter = mirroredNames.get(String(message?.method))
    const subject = parameter === undefined ? (params.name ?? params.uri) : params[parameter]
    if (messages.length !== 1 || decodeHeader(String(name)) !== subject)
      return 'Mcp-Name is not the name in the message'
  }
  const meta = isObject(params._meta) ? params._meta : {}
  const stated = meta['io.modelcontextprotocol/protocolVersion']
  if (stated !== undefined && version !== undefined && stated !== version) {
    return 'MCP-Protocol-Version is not the version in the message'
  }
  return null
}

/** Decodes a header that repeats a value of the body. It may have the form `=?base64?…?=`. Returns null if the encoding is invalid. */
export function decodeHeader(value: string): string | null {
  if (!/^[\t\x20-\x7e]*$/.test(value)) return null
  const encoded = wrapped.exec(value)?.[1]
  if (encoded === undefined) return value
  if (!base64.test(encoded)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, 'base64'))
  } catch {
    return null
  }
}
