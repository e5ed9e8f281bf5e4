import { createRequire } from 'node:module'
import { escapeLines } from './printable.ts'

const require = createRequire(import.meta.url)

/** Formats data as YAML, with hidden characters escaped. */
export function yamlText(data: unknown): string {
  // Loaded only here, because the parser is slow to load and most commands do not need it.
  const { Document, visit, Scalar } = require('yaml') as typeof import('yaml')
  const document = new Document(data, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_key, node) {
      // YAML has escape sequences only in double-quoted strings.
      if (typeof node.value === 'string' && node.value !== escapeLines(node.value, yamlEscaped))
        node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return escapeLines(document.toString({ lineWidth: 0 }), yamlEscaped)
}

function yamlEscaped(character: string): string {
  const code = character.codePointAt(0)!.toString(16)
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
}
