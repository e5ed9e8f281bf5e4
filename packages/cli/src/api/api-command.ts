import { MandateError } from '@mandate/sdk/mandate-error'
import { nextPage, type Page } from '@mandate/sdk/pages'
import { type Command, Option } from 'commander'
import { connect, connectAnonymously } from '../connection/connect.ts'
import { Failure, usageFailure } from '../invocation/failure.ts'
import { type DataFormat, dataFormat, type OutputOptions, printData, withOutput } from '../output/format.ts'
import { note } from '../output/note.ts'
import { endWithOutput, print } from '../output/print.ts'
import { jsonLine } from '../output/printable.ts'
import { apiUrl } from './api-url.ts'
import { contentOf, parseFields, searchOf } from './parse-fields.ts'
import { printBody, printHeaders } from './print-response.ts'
import { type ApiRequest, sendRequest, type Target } from './send-request.ts'

interface ApiOptions extends OutputOptions {
  field: string[]
  rawField: string[]
  header: string[]
  input?: string
  include?: boolean
  paginate?: boolean
  anonymous?: boolean
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Adds `api [method] <path>`, which makes any request of the HTTP API, like `gh api`. */
export function addApiCommand(program: Command): void {
  const several = (word: string, before: string[]) => [...before, word]
  withOutput(program.command('api <words...>'), ['json', 'yaml'])
    .usage('[method] <path> [options]')
    .description('make any request of the HTTP API; docs/cli.md has examples')
    .option('-f, --raw-field <key=value>', 'a string field; may be repeated', several, [])
    .option('-F, --field <key=value>', 'a field with a number, true, false, null, @file, or a string', several, [])
    .option('-H, --header <name:value>', 'a request header; may be repeated', several, [])
    .option('--input <file>', 'the body; - reads standard input')
    .option('-i, --include', 'print the status and the response headers first')
    .addOption(new Option('--paginate', 'read all pages of a list').conflicts(['include', 'input']))
    .option('--anonymous', 'send no credential')
    .addHelpText('after', '\nThe default method is POST if there are fields or a body, and GET otherwise.')
    .action(callApi)
}

async function callApi(words: string[], options: ApiOptions): Promise<void> {
  const [path, method, another] = words.toReversed()
  if (path === undefined || another !== undefined) throw usageFailure('give a method and a path, such as GET /agents')
  const target: Target = await (options.anonymous ? connectAnonymously() : connect())
  const request = await requestOf(target.url, method?.toUpperCase(), path, options)
  const format = dataFormat(options) ?? 'json'
  if (options.paginate) return await printPages(target, request, format, options)
  const response = await sendRequest(target, request)
  if (options.include) printHeaders(response)
  const { status } = response
  if (status >= 300 && status < 400) note(`HTTP ${status}${locationOf(response)}`)
  if (status < 400) return void (await printBody(response, format, options))
  // `--query` is for a successful response, so an error body is printed in full.
  const { error } = ((await printBody(response, format, {})) ?? {}) as { error?: unknown }
  throw new Failure(`${typeof error === 'string' ? error : 'the request failed'} (HTTP ${status})`)
}

/** Text that names a redirect's target. The redirect is not followed. */
function locationOf({ headers }: Response): string {
  const location = headers.get('location')
  return location === null ? '' : `, redirects to ${location}`
}

async function requestOf(
  origin: string,
  given: string | undefined,
  path: string,
  options: ApiOptions,
): Promise<ApiRequest> {
  const { input, rawField, field } = options
  const fields = await parseFields(rawField, field)
  const hasFields = Object.keys(fields).length > 0
  const method = given ?? (input !== undefined || (hasFields && !options.paginate) ? 'POST' : 'GET')
  if (!methods.includes(method)) throw usageFailure(`unknown method ${method}; use one of ${methods.join(', ')}`)
  if (options.paginate && method !== 'GET') throw usageFailure('--paginate works only with GET')
  const url = apiUrl(origin, path)
  const isQuery = method === 'GET' || input !== undefined
  if (isQuery) for (const [key, value] of new URLSearchParams(searchOf(fields))) url.searchParams.set(key, value)
  if (method === 'GET' && input !== undefined) throw usageFailure('a GET request cannot have a body')
  const body = input !== undefined ? await contentOf(input) : hasFields && !isQuery ? JSON.stringify(fields) : undefined
  const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) }
  return { url, method, body, headers: { ...headers, ...headersOf(options.header) } }
}

/** Headers that only the command sets, so that a user cannot send another credential by mistake. */
const ownHeaders = ['authorization', 'cookie', 'host', 'content-length', 'connection', 'transfer-encoding']

function headersOf(words: string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, value] = /^([\w-]+):\s*([\x20-\x7e]*)$/.exec(word) ?? []
      if (name === undefined || value === undefined) throw usageFailure(`--header takes name:value, not ${word}`)
      if (ownHeaders.includes(name.toLowerCase())) throw usageFailure(`the header ${name} cannot be set`)
      return [name.toLowerCase(), value]
    }),
  )
}

/** Prints the items of every page as one list. */
async function printPages(
  target: Target,
  { url, ...request }: ApiRequest,
  format: DataFormat,
  options: OutputOptions,
): Promise<void> {
  const items: unknown[] = []
  endWithOutput()
  for (let next: Record<string, unknown> | undefined = {}; next; ) {
    const pageUrl = new URL(url)
    for (const [name, value] of Object.entries(next)) pageUrl.searchParams.set(name, String(value))
    const page = await readPage(target, { ...request, url: pageUrl })
    if (format === 'lines' && options.query === undefined) for (const item of page.data) print(jsonLine(item))
    else items.push(...page.data)
    next = nextPage(page)
  }
  if (format !== 'lines' || options.query !== undefined) printData(items, format, options)
}

async function readPage(target: Target, request: ApiRequest): Promise<Page> {
  const response = await sendRequest(target, request)
  const page = (await response.json().catch(() => undefined)) as (Page & { error?: string }) | undefined
  if (response.status >= 400)
    throw new MandateError(page?.error ?? `answered ${response.status}`, { status: response.status, body: page })
  if (!Array.isArray(page?.data))
    throw new Failure('--paginate needs a list, but the response is not a page of a list', {
      hint: 'run the command again without --paginate',
    })
  return page
}
