/**
 * Maximum length of a text to search for with JavaScript's own search. A search for a text of up to this length takes linear
 * time. A search for a longer text can take quadratic time.
 */
const longestForEngine = 64

/**
 * Returns a function that tests whether a text contains `needle`. The function always takes time linear in the length of the text.
 * `String.includes` can take seconds for a hostile text of 500,000 characters and a needle of 10,000 characters.
 */
export function textFinder(needle: string): (text: string) => boolean {
  if (needle.length <= longestForEngine) return (text) => text.includes(needle)
  const start = needle.slice(0, longestForEngine)
  let borders: Uint32Array | undefined
  return (text) => {
    const from = text.indexOf(start)
    if (from < 0 || text.length - from < needle.length) return false
    borders ??= bordersOf(needle)
    return holds(text, from, needle, borders)
  }
}

/** The Knuth–Morris–Pratt algorithm. It never goes back in the text, so it takes linear time. */
function holds(text: string, from: number, needle: string, borders: Uint32Array): boolean {
  let matched = 0
  for (let index = from; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = borders[matched - 1]!
    if (needle.charCodeAt(matched) === unit) matched++
    if (matched === needle.length) return true
  }
  return false
}

/** For each prefix of the text, the length of the longest proper prefix that is also a suffix of that prefix. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length)
  let length = 0
  for (let index = 1; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    while (length > 0 && text.charCodeAt(length) !== unit) length = borders[length - 1]!
    if (text.charCodeAt(length) === unit) length++
    borders[index] = length
  }
  return borders
}
