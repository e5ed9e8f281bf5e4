import { createRequire } from 'node:module'
import { unprintable, unprintableHex } from './printable.ts'

const require = createRequire(import.meta.url)

/** Formats data as YAML, with control characters escaped. */
export function yamlText(data: unknown): string {
  // Loaded only here, because the parser is slow to load and most commands do not need it.
  const { Document, visit, Scalar } = require('yaml') as typeof import('yaml')
  const document = new Document(data, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_key, node) {
      // YAML has escape sequences only in double-quoted strings.
      if (typeof node.value === 'string' && node.value.replaceAll('\n', '').search(unprintable) >= 0) {
        node.type = Scalar.QUOTE_DOUBLE
      }
    },
  })
  return document
    .toString({ lineWidth: 0 })
    .replace(unprintable, (character) => (character === '\n' ? character : `\\u${unprintableHex(character)}`))
}
