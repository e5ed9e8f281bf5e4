import { asObject, type JsonObject } from './mcp-exchange.ts'

/** The result of a tool as text, for a person. Parts that are no text are named in square brackets. */
export function resultText({ content, structuredContent }: JsonObject): string {
  const parts = Array.isArray(content) ? content.map((part) => partText(asObject(part) ?? {})) : []
  if (parts.length > 0) return parts.join('\n')
  return structuredContent === undefined ? '' : JSON.stringify(structuredContent, null, 2)
}

function partText({ type, text, mimeType, uri, resource }: JsonObject): string {
  if (typeof text === 'string') return text
  const inner = asObject(resource)
  if (inner) return partText({ ...inner, type })
  const said = [type, mimeType, uri].filter((one) => typeof one === 'string')
  return `[${said.join(', ') || 'a part of no known type'}]`
}
