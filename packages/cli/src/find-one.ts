import { Failure, usageFailure } from './failure.ts'
import { printable } from './output/printable.ts'

/**
 * The one thing of those found.
 * @param what the kind of thing, such as `agent`
 * @param describe what tells two things of one name apart
 * @throws Failure if nothing was found, or listing the matches if there are several
 */
export function onlyOne<T extends { id: string }>(
  what: string,
  named: string,
  found: readonly T[],
  describe: (one: T) => string = () => '',
): T {
  const [only, another] = found
  if (!only) throw new Failure(`there is no ${what} ${named}, or none that you can see`)
  if (!another) return only
  const matches = found.slice(0, shownMatches).map((one) => printable(`${one.id}  ${describe(one)}`.trimEnd()))
  if (found.length > shownMatches) matches.push(`and ${found.length - shownMatches} more`)
  throw usageFailure(`${found.length} ${plural(what)} are called ${printable(named)}; use an id`, matches.join('\n  '))
}

const shownMatches = 20

function plural(what: string): string {
  return /[^aeiou]y$/.test(what) ? `${what.slice(0, -1)}ies` : `${what}s`
}
