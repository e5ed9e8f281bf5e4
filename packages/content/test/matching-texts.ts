import fc from 'fast-check'

/** The generator takes characters of a class from these. */
const candidates = [...'aeisAEIS09 _-.:/+=@"\'<>()[]{}|?&,;\t\n', 'é', '\u200b', '\ufeff', '\u202e', '\u{e0041}']
/** A repetition has up to this many more parts than it must have. */
const mostMore = 2

/**
 * Generates texts that an expression of the product matches. Each alternative of a group is as frequent as the others. Leaves out `^`, `$`
 * and `\b`, so a few of the texts do not match.
 */
export function matchingTexts(expression: string): fc.Arbitrary<string> {
  const source = expression.replace(/^\(\?i\)/, '').replaceAll('\\x{', '\\u{')
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const sticky = new RegExp(pattern, 'suy')
    sticky.lastIndex = at
    const taken = sticky.exec(source)
    at += taken?.[0].length ?? 0
    return taken
  }
  const alternatives = (): fc.Arbitrary<string> => {
    const all = [sequence()]
    while (take(/\|/)) all.push(sequence())
    return fc.oneof(...all)
  }
  const sequence = (): fc.Arbitrary<string> => {
    const parts: fc.Arbitrary<string>[] = []
    while (at < source.length && !/[|)]/.test(source.charAt(at))) parts.push(repeated())
    return fc.tuple(...parts).map((texts) => texts.join(''))
  }
  const repeated = (): fc.Arbitrary<string> => {
    const part = single()
    const [all, sign, least = '', comma, most] = take(/([?*+])|\{(\d+)(,?)(\d*)\}/) ?? []
    if (all === undefined) return part
    const minLength = sign === undefined ? Number(least) : Number(sign === '+')
    const isOpen = sign === '*' || sign === '+' || (comma === ',' && most === '')
    const bound = isOpen ? Number.POSITIVE_INFINITY : sign === '?' ? 1 : Number(most || least)
    const maxLength = Math.min(bound, minLength + mostMore)
    return fc.array(part, { minLength, maxLength }).map((texts) => texts.join(''))
  }
  const single = (): fc.Arbitrary<string> => {
    if (take(/\((?:\?:)?/)) {
      const group = alternatives()
      if (!take(/\)/)) throw new Error(`no end of a group at ${at} of ${source}`)
      return group
    }
    if (take(/[\^$]|\\b/)) return fc.constant('')
    const [part = ''] = take(/\[\^?(?:\\u\{\w+\}|\\.|[^\]\\])+\]|\\u\{\w+\}|\\.|./) ?? []
    if (/^[^\\[.]$/u.test(part)) return fc.constant(part)
    const own = new RegExp(`^${part}$`, 'u')
    const isClass = part.startsWith('[')
    const others = [...part].concat(
      [...part.matchAll(/\\u\{(\w+)\}/g)].map(([, code = '0']) => String.fromCodePoint(parseInt(code, 16))),
    )
    return fc.constantFrom(...[...candidates, ...others, ...part.slice(isClass ? 0 : 1)].filter((one) => own.test(one)))
  }
  const texts = alternatives()
  if (at < source.length) throw new Error(`cannot read ${source.slice(at)}`)
  return texts
}
