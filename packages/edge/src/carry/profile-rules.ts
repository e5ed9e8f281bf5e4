import { type CompiledContent, compileContent, InvalidContent } from '@mandate/content/compile-content'
import type { ContentRules } from '@mandate/content/definition'
import { RecentValues } from '@mandate/content/recent-values'
import { ProfileContent } from '@mandate/contract/content'

/** The content rules of a profile, ready to use. With `fault`, the edge cannot use them, and denies every call. */
export type ProfileRules =
  | { readonly rules: ContentRules; readonly compiled: CompiledContent; readonly fault: null }
  | { readonly fault: string }

// Agents under one policy have equal content rules.
const compiledRules = new RecentValues<ProfileRules>(100)

/** Compiles the content rules of a profile. Returns null if it has none. Never throws. */
export function profileRules(content: unknown): ProfileRules | null {
  if (content === undefined) return null
  return compiledRules.get(JSON.stringify(content), () => compile(content))
}

function compile(content: unknown): ProfileRules {
  const { data: rules, error } = ProfileContent.safeParse(content)
  if (!rules) {
    const { path, message } = error.issues[0] ?? { path: [], message: 'is not known' }
    return { fault: tooOld(`content.${path.join('.')} ${message}`) }
  }
  try {
    return { rules, compiled: compileContent(rules), fault: null }
  } catch (error) {
    if (error instanceof InvalidContent) return { fault: tooOld(error.message) }
    throw error
  }
}

function tooOld(why: string): string {
  return `this edge cannot apply the content rules of the policy (${why.slice(0, 500)}); update the edge`
}
