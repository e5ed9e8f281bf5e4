import { isDeepStrictEqual } from 'node:util'
import { Document, isCollection, isNode, isPair, isScalar, type Pair, type Scalar, type YAMLMap } from 'yaml'
import { parseYaml } from './parse-yaml.ts'

interface TextEdit {
  at: number
  end: number
  text: string
}

/** Collects changes of a tree as changes of the text that the tree comes from, so that every other character stays as it is. */
export class TextEdits {
  private readonly text: string
  private readonly edits: TextEdit[] = []
  private isWhole = true

  constructor(text: string) {
    this.text = text
  }

  /** Notes a change that only the tree has. `result` then returns undefined. */
  skip(): void {
    this.isWhole = false
  }

  /** Replaces the value of a scalar with another scalar value. */
  replace({ range, type }: Scalar, value: unknown): void {
    const isInLine = type === 'PLAIN' || type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE'
    if (range && isInLine) this.add(range[0], textOfScalar(value, type === 'QUOTE_DOUBLE'), range[1])
    else this.skip()
  }

  /** Inserts a field at an index of a map, which does not have it yet. */
  insert({ items, flow }: YAMLMap, index: number, field: string, value: unknown): void {
    const isInText = ({ key }: Pair) => isNode(key) && Boolean(key.range)
    const before = items.slice(0, index).findLast(isInText)
    const next = items.slice(index).find(isInText)
    // A field that was just inserted has no place in the text, so the next field comes behind it.
    const isAfter = before !== undefined && (before === items[index - 1] || next === undefined)
    const neighbour = isAfter ? before : next
    const isNested = typeof value === 'object' && value !== null
    if (!neighbour || isNested) this.skip()
    else this.insertAt(neighbour, isAfter, Boolean(flow), field, value)
  }

  private insertAt(neighbour: Pair, isAfter: boolean, isFlow: boolean, field: string, value: unknown): void {
    const isJson = isScalar(neighbour.key) && neighbour.key.type === 'QUOTE_DOUBLE'
    const written = `${isJson ? JSON.stringify(field) : field}: ${textOfScalar(value, isJson)}`
    const start = startOf(neighbour)
    const line = this.text.slice(this.text.lastIndexOf('\n', start - 1) + 1, start)
    const space = isFlow && /\S/.test(line) ? ' ' : `\n${line.replaceAll(/\S/g, ' ')}`
    const end = endOf(neighbour, this.text)
    if (!isAfter) this.add(start, `${written}${isFlow ? ',' : ''}${space}`)
    else if (isFlow) this.add(end, `,${space}${written}`)
    else this.add(this.lineEnd(end), space + written)
  }

  private lineEnd(at: number): number {
    const end = this.text.indexOf('\n', at)
    return end < 0 ? this.text.length : end
  }

  /** Returns the changed text. Undefined if the text would not have the values of the changed tree. */
  result(tree: Document): string | undefined {
    if (!this.isWhole) return undefined
    const parts: string[] = []
    let last = 0
    for (const { at, end, text } of this.edits.toSorted((one, other) => one.at - other.at)) {
      parts.push(this.text.slice(last, at), text)
      last = end
    }
    const changed = parts.join('') + this.text.slice(last)
    return hasValuesOf(tree, changed) ? changed : undefined
  }

  private add(at: number, text: string, end = at): void {
    this.edits.push({ at, end, text })
  }
}

/** Whether a text is valid and has the values of a tree. */
export function hasValuesOf(tree: Document, text: string): boolean {
  const { tree: read, faults } = parseYaml(text)
  return faults.length === 0 && isDeepStrictEqual(read.toJS(), tree.toJS())
}

function textOfScalar(value: unknown, isQuoted: boolean): string {
  if (isQuoted || typeof value !== 'string') return JSON.stringify(value)
  return new Document(value).toString({ lineWidth: 0, blockQuote: false }).trimEnd()
}

const startOf = ({ key }: Pair) => (isNode(key) && key.range?.[0]) || 0

/** The end of the last character of a value. */
function endOf(node: unknown, text: string): number {
  if (isPair(node)) return endOf(isNode(node.value) ? node.value : node.key, text)
  if (isCollection(node) && !node.flow && node.items.length > 0) return endOf(node.items.at(-1), text)
  // The range of a text in lines of its own includes the line end.
  return text.slice(0, (isNode(node) && node.range?.[1]) || 0).trimEnd().length
}
