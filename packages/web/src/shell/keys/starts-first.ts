/** Puts the names that are the text first, then those that start with it. The others keep their order. */
export function startsFirst<T extends { name: string }>(found: readonly T[], text: string): T[] {
  const wanted = text.toLowerCase()
  const rank = (name: string) => (name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2)
  return found.toSorted((one, other) => rank(one.name.toLowerCase()) - rank(other.name.toLowerCase()))
}
