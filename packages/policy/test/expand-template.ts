const operators: Readonly<
  Record<string, { first: string; between: string; isNamed: boolean; keepsReserved: boolean }>
> = {
  '': { first: '', between: ',', isNamed: false, keepsReserved: false },
  '+': { first: '', between: ',', isNamed: false, keepsReserved: true },
  '#': { first: '#', between: ',', isNamed: false, keepsReserved: true },
  '.': { first: '.', between: '.', isNamed: false, keepsReserved: false },
  '/': { first: '/', between: '/', isNamed: false, keepsReserved: false },
  ';': { first: ';', between: ';', isNamed: true, keepsReserved: false },
  '?': { first: '?', between: '&', isNamed: true, keepsReserved: false },
  '&': { first: '&', between: '&', isNamed: true, keepsReserved: false },
}

/** Expands a URI template with string variables, as RFC 6570 specifies. */
export function expandTemplate(template: string, variables: Readonly<Record<string, string>>): string {
  return template.replace(
    /\{([+#./;?&]?)([^{}]*)\}|([^{}]+)/g,
    (_whole, operator: string, names: string, literal?: string) => {
      if (literal !== undefined) return encode(literal, true)
      const { first, between, isNamed, keepsReserved } = operators[operator ?? '']!
      const parts = names.split(',').map((name) => {
        const value = encode(variables[name] ?? '', keepsReserved)
        if (!isNamed) return value
        return value === '' && operator === ';' ? name : `${name}=${value}`
      })
      return first + parts.join(between)
    },
  )
}

function encode(text: string, keepsReserved: boolean): string {
  const kept = keepsReserved ? /%[0-9A-Fa-f]{2}|[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/g : /[A-Za-z0-9\-._~]/g
  let [encoded, from] = ['', 0]
  for (const found of text.matchAll(kept)) {
    encoded += percentCodes(text.slice(from, found.index)) + found[0]
    from = found.index + found[0].length
  }
  return encoded + percentCodes(text.slice(from))
}

function percentCodes(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}
