import type { Document, LineCounter } from 'yaml'

/** Line number of a field, or of the nearest enclosing node if the field is missing. */
export function lineOf(tree: Document, lines: LineCounter, place: readonly PropertyKey[]): number {
  for (let length = place.length; length > 0; length--) {
    const node = tree.getIn(place.slice(0, length), true) as { range?: [number, number, number] } | undefined
    if (node?.range) return lines.linePos(node.range[0]).line
  }
  return 1
}
