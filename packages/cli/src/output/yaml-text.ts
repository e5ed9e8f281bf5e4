import { createRequire } from 'node:module'
import { unprintable, unprintableHex } from './printable.ts'

const require = createRequire(import.meta.url)

/** Data as YAML that is safe to show and reads as the same value. */
export function yamlText(data: unknown): string {
  // The parser takes a while to load, and most commands do not need it.
  const { Document, visit, Scalar } = require('yaml') as typeof import('yaml')
  const document = new Document(data, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_key, node) {
      // Only text in double quotes has escapes.
      if (typeof node.value === 'string' && node.value.replaceAll('\n', '').search(unprintable) >= 0) {
        node.type = Scalar.QUOTE_DOUBLE
      }
    },
  })
  return document
    .toString({ lineWidth: 0 })
    .replace(unprintable, (character) => (character === '\n' ? character : `\\u${unprintableHex(character)}`))
}
