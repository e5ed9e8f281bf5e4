import { isExactNumber } from '@mandate/contract/fields/is-exact-number'
import { type Document, LineCounter, parseDocument, visit } from 'yaml'

/** An error in a YAML text, with its line and column from 1. */
export interface YamlFault {
  line: number
  column: number
  message: string
}

/**
 * Parses YAML, and so also JSON. Returns a tree that keeps comments and style. A number that JSON cannot represent exactly is a
 * fault, in every notation of YAML: the tree would contain another number.
 */
export function parseYaml(text: string): { tree: Document; lines: LineCounter; faults: YamlFault[] } {
  const lines = new LineCounter()
  const tree = parseDocument(text, { lineCounter: lines, prettyErrors: false, intAsBigInt: true })
  const faultAt = (offset: number, message: string): YamlFault => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col, message }
  }
  const [broken] = tree.errors
  if (broken) return { tree, lines, faults: [faultAt(broken.pos[0], broken.message)] }
  const faults: YamlFault[] = []
  visit(tree, {
    Scalar(_, node) {
      const { value, source = '', range } = node
      if (typeof value !== 'bigint' && typeof value !== 'number') return
      if (!isExact(value, source)) faults.push(faultAt(range?.[0] ?? 0, `${shortened(source)} ${isInexact}`))
      // The rest of the program works with numbers.
      node.value = Number(value)
    },
  })
  return { tree, lines, faults }
}

/** The SDK sends numbers up to 2^53 only. The parser returns integers of every notation as bigint, and all other numbers as number. */
function isExact(value: bigint | number, source: string): boolean {
  if (Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER) return false
  return typeof value === 'bigint' || isExactNumber(source.replaceAll('_', '').replace(/^\+/, ''))
}

const isInexact = 'is beyond 2^53, or JSON cannot represent it exactly; quote it to make it a string'

const shortened = (source: string) => (source.length > 40 ? `${source.slice(0, 40)}…` : source)
