import type { BoundPattern } from '../compile-content.ts'
import type { Span } from '../definition.ts'
import type { TextFindings } from './find-in-text.ts'

interface Edit extends Span {
  readonly text: string
  /** True if the edit replaces the value of a string as a whole and has the replacements of its parts. */
  readonly isInner: boolean
}

/** Returns the text that takes the place of a match. */
export const replacementFor = ({ pattern }: BoundPattern) => `[redacted:${pattern.definition.name}]`

/** Replaces the matches of some patterns. A JSON text stays JSON with the same structure. */
export function rewriteText(findings: TextFindings, isReplaced: (bound: BoundPattern) => boolean): string {
  const { text, isJson, replaced, inner } = findings
  const written = (value: string) => (isJson ? JSON.stringify(value).slice(1, -1) : value)
  const edits: Edit[] = replaced
    .filter(({ bound }) => isReplaced(bound))
    .map(({ start, end, bound }) => ({ start, end, text: written(replacementFor(bound)), isInner: false }))
  for (const { start, end, findings: own } of inner) {
    const rewritten = rewriteText(own, isReplaced)
    if (rewritten !== own.text) edits.push({ start, end, text: written(rewritten), isInner: true })
  }
  return applyEdits(text, edits)
}

// Matches of several patterns may overlap. Then the first and longest replacement stands for all of them, and covers them all.
function applyEdits(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text
  const ordered = edits.toSorted(
    (one, other) => one.start - other.start || other.end - one.end || Number(one.isInner) - Number(other.isInner),
  )
  const merged: Edit[] = []
  for (const edit of ordered) {
    const last = merged.at(-1)
    if (last === undefined || edit.start >= last.end) merged.push(edit)
    else
      merged[merged.length - 1] = {
        ...(last.isInner ? edit : last),
        start: last.start,
        end: Math.max(last.end, edit.end),
      }
  }
  let result = ''
  let at = 0
  for (const edit of merged) {
    result += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return result + text.slice(at)
}
