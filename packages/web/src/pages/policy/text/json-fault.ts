const token =
  /\s*("(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:])/uy

/** Finds where a text stops to be JSON, because browsers do not say it. Returns the offset of the first token that does not fit. */
export function faultOf(text: string): number {
  const open: string[] = []
  // What may come next.
  let next: 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' = 'value'
  let at = 0
  const start = () => at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0)
  for (;;) {
    token.lastIndex = at
    const found = token.exec(text)?.[1]
    if (found === undefined || (next === 'comma or end' && open.length === 0)) return start()
    const isEnd = found === '}' || found === ']'
    if (isEnd) {
      const fits = open.at(-1) === (found === '}' ? '{' : '[') && next.endsWith('end')
      if (!fits) return start()
      open.pop()
      next = 'comma or end'
    } else if (next === 'comma or end') {
      if (found !== ',') return start()
      next = open.at(-1) === '{' ? 'name' : 'value'
    } else if (next === 'colon') {
      if (found !== ':') return start()
      next = 'value'
    } else if (next.startsWith('name')) {
      if (!found.startsWith('"')) return start()
      next = 'colon'
    } else if (found === '{' || found === '[') {
      open.push(found)
      next = found === '{' ? 'name or end' : 'value or end'
    } else if (found === ',' || found === ':') return start()
    else next = 'comma or end'
    at = token.lastIndex
  }
}
