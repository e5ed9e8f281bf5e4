/** A part of a text, from the first character to the one after the last. */
export interface Place {
  from: number
  to: number
}

const token = /\s*("[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}[\],:"]+|[{}[\],:])/uy

/**
 * Finds a value of a JSON text by its path, such as `rules[0].match.tools[1]`. If a part of the path is missing, returns the object or the
 * list that lacks it. The text must be valid JSON.
 */
export function placeOf(text: string, path: string): Place {
  let place = valueAt(text, 0)
  for (const part of path.match(/[^.[\]]+/g) ?? []) {
    const member = memberOf(text, place, part)
    if (!member) return place
    place = member
  }
  return place
}

/** The member of an object, or of a list by its index. `JSON.parse` takes the last member of a name, so this does too. */
function memberOf(text: string, { from }: Place, wanted: string): Place | undefined {
  const isObject = text[from] === '{'
  if (!isObject && text[from] !== '[') return undefined
  let found: Place | undefined
  let at = from + 1
  for (let index = 0; ; index++) {
    const first = nextToken(text, at)
    if (!first || first.text === '}' || first.text === ']') return found
    const colon = isObject ? nextToken(text, first.to) : undefined
    const value = valueAt(text, colon?.to ?? at)
    if (wanted === (isObject ? JSON.parse(first.text) : String(index))) found = value
    const comma = nextToken(text, value.to)
    if (comma?.text !== ',') return found
    at = comma.to
  }
}

/** The value that begins at `at`, after white space. */
function valueAt(text: string, at: number): Place {
  const first = nextToken(text, at)
  if (!first) return { from: text.length, to: text.length }
  let depth = 0
  let last: (Place & { text: string }) | undefined = first
  for (; last; last = nextToken(text, last.to)) {
    if (last.text === '{' || last.text === '[') depth++
    if (last.text === '}' || last.text === ']') depth--
    if (depth === 0) return { from: first.from, to: last.to }
  }
  return { from: first.from, to: text.length }
}

function nextToken(text: string, at: number): (Place & { text: string }) | undefined {
  token.lastIndex = at
  const found = token.exec(text)?.[1]
  return found === undefined ? undefined : { text: found, from: token.lastIndex - found.length, to: token.lastIndex }
}
