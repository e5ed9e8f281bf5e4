import type { MayShow } from './may-show.ts'

/** A `Bearer` challenge of a tool server (RFC 6750, RFC 9728). The server wrote it, so nothing in it can be trusted. */
export interface Challenge {
  readonly error: string | null
  readonly scope: string | null
  readonly resourceMetadata: URL | null
}

const errors: ReadonlySet<string> = new Set(['invalid_request', 'invalid_token', 'insufficient_scope'])
const scopes = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/
const longestScope = 1000
const longestUrl = 2048

/**
 * Reads the first `Bearer` challenge of a `WWW-Authenticate` header. Leaves out malformed parameters. Returns null if there
 * is no `Bearer` challenge, and leaves out texts for which `mayShow` is false.
 */
export function readChallenge(header: string | undefined, mayShow: MayShow): Challenge | null {
  const params = bearerParams(header ?? '')
  if (params === null) return null
  const error = params.get('error') ?? ''
  const scope = params.get('scope') ?? ''
  const resourceMetadata = readUrl(params.get('resource_metadata'))
  return {
    error: errors.has(error) ? error : null,
    scope: scope.length <= longestScope && scopes.test(scope) && mayShow(scope) ? scope : null,
    resourceMetadata: resourceMetadata && mayShow(resourceMetadata.href) ? resourceMetadata : null,
  }
}

/** Returns the parameters of the first `Bearer` challenge, keyed by their names in lower case. */
function bearerParams(header: string): Map<string, string> | null {
  const next = /[\s,]*([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/y
  let params: Map<string, string> | null = null
  for (let found = next.exec(header); found; found = next.exec(header)) {
    const [, name = '', quoted, plain] = found
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain
    if (value === undefined) {
      // In a `WWW-Authenticate` header, a word without `=` and a value is the scheme that begins the next challenge.
      if (params) return params
      if (name.toLowerCase() === 'bearer') params = new Map()
    } else if (params && !params.has(name.toLowerCase())) params.set(name.toLowerCase(), value)
  }
  return params
}

function readUrl(text = ''): URL | null {
  if (text.length > longestUrl || !URL.canParse(text)) return null
  const url = new URL(text)
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url : null
}
