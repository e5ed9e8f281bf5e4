import type { IncomingHttpHeaders } from 'node:http'
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
  const found = Object.entries(forms).map(([name, form]) => [name, valueIn(headers[name], form)] as const)
  return new Map(found.flatMap(([name, value]) => (value !== null && mayShow(value) ? [[name, value]] : [])))
}

function valueIn(value: string | string[] | undefined, form: RegExp): string | null {
  if (typeof value !== 'string') return null
  // A media type keeps its form without its parameters.
  return [value.trim(), value.replace(/;.*/s, '').trim()].find((one) => form.test(one)) ?? null
}
