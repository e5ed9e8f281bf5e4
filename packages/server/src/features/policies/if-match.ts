import { Refusal } from '../../refusal.ts'

/** Returns the entity tag (`ETag`) of a policy version. */
export const entityTag = (version: number) => `"${version}"`

/**
 * Compares an `If-Match` header with a version. A missing header and `*` always match; a weak or malformed tag never
 * matches.
 * @throws 412 if it does not match
 */
export function requireMatch(ifMatch: string | undefined, version: number, what = 'the policy is'): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  if (tags.includes(entityTag(version))) return
  const changed = tags.find((tag) => isChanged(tag, version))
  const why = changed
    ? `; ${changed} is the tag of this version as a proxy or a client changed it: send ${entityTag(version)}, and see "Proxies" in docs/operations.md`
    : ''
  throw new Refusal(412, `${what} now at version ${version}${why}`)
}

/** How proxies write a tag when they compress: nginx `W/"3"`, Apache `"3-gzip"`, Jetty `"3--gzip"`. Some clients forget the quotes. */
const isChanged = (tag: string, version: number) =>
  /^(?:W\/)?"?(\d+)(?:-{0,2}[;+/]?(?:gzip|br|zstd|deflate))?"?$/i.exec(tag)?.[1] === String(version)
