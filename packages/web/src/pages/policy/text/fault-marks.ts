import { isJson } from '@mandate/contract/fields/is-json'
import { faultOf } from './json-fault.ts'
import { type Place, placeOf } from './json-places.ts'

/** What is wrong at a path of a document, such as `rules[0].match.tools[1]`, in words. */
export interface Fault {
  path: string
  message: string
}

/** A fault of a text at its place. */
export interface Mark extends Place {
  /** The number of the line, from 1. */
  line: number
  message: string
}

/** More faults than this are counted, and not marked. */
export const mostMarks = 20

/** Finds the lines of faults. `error` says why the text is no document; `faults` are those of the server. A fault without a path has no line. */
export function marksOf(text: string, error: string | undefined, faults: readonly Fault[]): Mark[] {
  if (error !== undefined) {
    const from = isJson(text) ? 0 : faultOf(text)
    return [markAt(text, endOfLine(text, { from, to: text.length }), error)]
  }
  return faults
    .filter(({ path }) => path !== '')
    .slice(0, mostMarks)
    .map((fault) => markAt(text, endOfLine(text, placeOf(text, fault.path)), fault.message))
    .sort((a, b) => a.from - b.from)
}

const markAt = (text: string, { from, to }: Place, message: string): Mark => ({
  from,
  to,
  line: text.slice(0, from).split('\n').length,
  message,
})

/** An object or a list is marked in its first line only. */
function endOfLine(text: string, { from, to }: Place): Place {
  const end = text.indexOf('\n', from)
  return { from, to: end < 0 ? to : Math.min(end, to) }
}
