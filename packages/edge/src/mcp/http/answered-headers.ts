import type { IncomingHttpHeaders } from 'node:http'
import { type AnswerKind, answerKind } from '../gateway/answer-kind.ts'
import type { MayShow } from '../gateway/may-show.ts'

const listOf = (item: string) => new RegExp(`^${item}(?: *, *${item}){0,20}$`, 'i')
const directive =
  '(?:no-cache|no-store|no-transform|private|public|immutable|must-revalidate|must-understand|proxy-revalidate|(?:max-age|s-maxage|stale-while-revalidate|stale-if-error)=\\d{1,9})'

const mediaType = '(?:application|audio|font|image|message|model|multipart|text|video)/[a-z0-9][a-z0-9.+-]{0,60}'
const parameter = '(?:charset=(?:"[a-z0-9-]{1,20}"|[a-z0-9-]{1,20})|format=flowed)'

/** The forms of the headers that are forwarded to the client. A header in another form could carry any text. */
const forms: Readonly<Record<string, RegExp>> = {
  allow: listOf('(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)'),
  'cache-control': listOf(directive),
  'content-type': new RegExp(`^${mediaType} *(?:; *${parameter} *){0,3}$`, 'i'),
  'mcp-protocol-version': /^\d{4}-\d\d-\d\d$/,
  'retry-after': /^(?:\d{1,9}|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/,
  'x-accel-buffering': /^(?:yes|no)$/i,
}

/** Returns the headers of a tool server's answer that are forwarded to the client. */
export function answeredHeaders(headers: IncomingHttpHeaders, mayShow: MayShow): Map<string, string> {
  const found = new Map<string, string>()
  for (const [name, form] of Object.entries(forms)) {
    const value = valueIn(headers[name], form)
    if (value !== null && (name !== 'content-type' || isUsual.test(value) || mayShow(value))) found.set(name, value)
  }
  // Clients read an answer by its type.
  const plain = plainTypes[answerKind(headers['content-type']) ?? 'other']
  if (plain !== null && !found.has('content-type')) found.set('content-type', plain)
  return found
}

/** The types of almost all answers. They need no search for matches. */
const isUsual = /^(?:application\/json|text\/event-stream)(?: *; *charset="?utf-?8"?)?$/i

const plainTypes: Readonly<Record<AnswerKind, string | null>> = {
  json: 'application/json',
  stream: 'text/event-stream',
  other: null,
}

function valueIn(value: string | string[] | undefined, form: RegExp): string | null {
  if (typeof value !== 'string') return null
  // A media type keeps its form without its parameters.
  return [value.trim(), value.replace(/;.*/s, '').trim()].find((one) => form.test(one)) ?? null
}
