import { Failure, usageFailure } from '../invocation/failure.ts'
import { plural } from '../output/counted.ts'
import { printable } from '../output/printable.ts'
import { didYouMean } from './did-you-mean.ts'

/**
 * Returns the only match of a search by name.
 * @param what the resource type, such as `agent`
 * @param describe text that distinguishes two matches with the same name
 * @param known names that exist, for the suggestion of a mistyped name
 * @throws Failure if there is no match, or several; the error then lists them
 */
export function onlyOne<T extends { id: string }>(
  what: string,
  named: string,
  found: readonly T[],
  describe: (one: T) => string = () => '',
  known: readonly string[] = [],
): T {
  const [only, another] = found
  if (!only) {
    const hint = didYouMean(named, known)
    throw new Failure(`${what} ${named} does not exist, or you cannot see it`, hint === undefined ? {} : { hint })
  }
  if (!another) return only
  const matches = found.slice(0, shownMatches).map((one) => printable(`${one.id}  ${describe(one)}`.trimEnd()))
  if (found.length > shownMatches) matches.push(`and ${found.length - shownMatches} more`)
  throw usageFailure(
    `${found.length} ${plural(what)} have the name ${printable(named)}; use an id`,
    matches.join('\n  '),
  )
}

const shownMatches = 20
