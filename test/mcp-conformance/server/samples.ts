import { CLIENT_CAPABILITIES_META_KEY, type ClientCapabilities } from '@modelcontextprotocol/server'

/** A red pixel as PNG, and a WAV file without samples, both in Base64. */
export const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
export const audio = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='

export const textOf = (text: string) => ({ content: [{ type: 'text' as const, text }] })

/** The capabilities that a client of revision 2026-07-28 declares in each request. */
export function declaredIn(envelope: object = {}): ClientCapabilities {
  return (envelope as Record<string, ClientCapabilities>)[CLIENT_CAPABILITIES_META_KEY] ?? {}
}
