import { skeletonsOf } from '@mandate/policy/look-alike'

/** A tool of another server. */
export interface OtherTool {
  name: string
  server: string
}

/** What the inventory of an environment knows of other servers. The server of the definition is left out. */
export interface OtherTools {
  byName: ReadonlyMap<string, OtherTool>
  /** By the keys of their names (`keysOf`). */
  byKey: ReadonlyMap<string, OtherTool>
  /** The keys of the names of the definition's own server. */
  own: ReadonlySet<string>
}

export function otherToolsOf(others: Iterable<OtherTool>, own: Iterable<string>): OtherTools {
  const [byName, byKey] = [new Map<string, OtherTool>(), new Map<string, OtherTool>()]
  for (const tool of others) {
    if (byName.has(tool.name)) continue
    byName.set(tool.name, tool)
    for (const key of keysOf(tool.name)) if (key !== '' && !byKey.has(key)) byKey.set(key, tool)
  }
  return { byName, byKey, own: new Set([...own].flatMap(keysOf)) }
}

const punctuation = /[\p{P}\p{S}]/gu
/** Policies compare such names in the same way, but need longer for it. */
const plainName = /^[A-HJ-Za-z0-9_.-]{1,200}$/

/**
 * Returns the keys of a name, which are equal for names that look alike: `send_mail`, `Send-Mail`, and the same name with a Cyrillic letter. A
 * name with a capital I has two keys. Policies compare names with their punctuation, but a reader hardly sees it.
 */
export function keysOf(name: string): string[] {
  if (!plainName.test(name))
    return skeletonsOf(name.replaceAll(':', '/')).map((skeleton) => skeleton.replace(punctuation, ''))
  const letters = name.toLowerCase().replaceAll('1', 'l').replaceAll('0', 'o')
  return [letters.replaceAll('rn', 'm').replaceAll('vv', 'w').replace(/[_.-]/g, '')]
}

/** Returns a tool of another server with this name, or else with a name that looks like it; or null. */
export function findLookAlikeTool(name: string, { byName, byKey }: OtherTools): OtherTool | null {
  const same = byName.get(name)
  if (same) return same
  for (const key of keysOf(name)) {
    const found = byKey.get(key)
    if (found) return found
  }
  return null
}

/** Names such as `send_email`, `sendEmail` and `send-email`. A plain word such as `search` is in many texts. */
const isDistinct = (name: string) =>
  name.length >= 5 && (/[_.\-0-9]/.test(name) || /[a-z][A-Z]/.test(name) || hasTwoScripts(name))
const hasTwoScripts = (name: string) => /[A-Za-z]/.test(name) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(name)
/** Words such as `sign-in` are in many texts. */
const isCompound = (name: string) => /^[A-Za-z]+(?:-[A-Za-z]+)+$/.test(name)

const words = /(?:mcp:)?[\p{L}\p{M}\p{N}_-]+(?:[./][\p{L}\p{M}\p{N}_-]+)*/gu
/** Names of tools in policies have at most 200 characters. */
const longestName = 200

/** Returns the first tool of another server whose name a text has, or a name that looks like it; or null. */
export function findOtherTool(text: string, others: OtherTools): OtherTool | null {
  if (others.byName.size === 0) return null
  for (const match of text.matchAll(words)) {
    const written = (match[0].split('/').at(-1) as string).replace(/\.+$/, '')
    if (written.length > longestName) continue
    const marked = isMarked(text, match.index, match[0].length)
    if (!marked && !isDistinct(written)) continue
    const other = findLookAlikeTool(written, others)
    if (other === null || keysOf(written).some((key) => others.own.has(key))) continue
    const isOrdinary = isCompound(written) || !isDistinct(other.name)
    if (written === other.name || marked || !isOrdinary) return other
  }
  return null
}

/** A plain word names a tool if it is in quotation marks or if the word "tool" follows. */
function isMarked(text: string, at: number, length: number): boolean {
  const [before, after] = [text[at - 1] ?? '', text.slice(at + length, at + length + 6)]
  return (/[`'"]/.test(before) && /^[`'"]/.test(after)) || /^[`'"]? tool/.test(after)
}
