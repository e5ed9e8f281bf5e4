const special = new Set([...'\\.+*?()|[]{}^$'])
/** Letters of escapes that match characters or places, and have no operand. */
const plainEscapes = new Set([...'AbBCdDsSwWzafnrtv'])
const shortest = 3

/**
 * Returns texts, in lower case, that every match of an expression contains, whatever its letter case. Looks only at plain characters
 * outside groups and classes, so it may find none. A text without one of them needs no search. Returns none for an expression that has
 * anything else than common syntax: an expression that is read in a wrong way would never match.
 */
export function requiredTexts(expression: string): string[] {
  const found: string[] = []
  let run = ''
  let depth = 0
  const end = () => {
    if (run.length >= shortest) found.push(run.toLowerCase())
    run = ''
  }
  for (let at = 0; at < expression.length; at++) {
    const character = expression[at] as string
    const next = expression[at + 1] ?? ''
    if (character === '\\') {
      at++
      if (special.has(next)) {
        if (depth === 0 && !isRepeated(expression, at + 1)) run += next
        else end()
      } else if (plainEscapes.has(next)) end()
      // The operands of other escapes look like plain characters: \x41, \101, \pL, \Q.\E.
      else return []
    } else if (character === '[') {
      end()
      const last = endOfClass(expression, at)
      if (last === null) return []
      at = last
    } else if (character === '(') {
      end()
      depth++
    } else if (character === ')') {
      end()
      depth--
    } else if (character === '{') {
      end()
      const repetition = /^\{\d{1,9}(?:,\d{0,9})?\}/.exec(expression.slice(at, at + 24))
      // Otherwise the brace is a plain character.
      if (!repetition) return []
      at += repetition[0].length - 1
    } else if (depth > 0) {
    } else if (character === '|') {
      return []
    } else if (special.has(character)) {
      end()
    } else if (isRepeated(expression, at + 1)) {
      end()
    } else {
      run += character
    }
  }
  end()
  return found.filter((text) => /^[\x20-\x7e]+$/.test(text))
}

const isRepeated = (expression: string, at: number) => '*?+{'.includes(expression[at] ?? ' ')

/** Returns the place of the end of a class. Null if the class has escapes or names that are not common. */
function endOfClass(expression: string, start: number): number | null {
  // A `]` right after the start of a class is a character of the class.
  let at = start + 1
  if (expression[at] === '^') at++
  if (expression[at] === ']') at++
  for (; at < expression.length && expression[at] !== ']'; at++) {
    if (expression[at] === '\\') {
      at++
      if (expression[at] === 'Q') return null
    } else if (expression[at] === '[' && expression[at + 1] === ':') {
      const name = /^\[:\^?[a-z]{1,10}:\]/.exec(expression.slice(at, at + 16))
      if (!name) return null
      at += name[0].length - 1
    }
  }
  return at
}
