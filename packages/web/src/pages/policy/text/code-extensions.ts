import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, nextDiagnostic, previousDiagnostic, setDiagnostics, setDiagnosticsEffect } from '@codemirror/lint'
import { search, searchKeymap } from '@codemirror/search'
import { type EditorState, type Extension, StateField, type TransactionSpec } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { highlighting, theme } from './code-theme.ts'
import type { Mark } from './fault-marks.ts'
import { replacesSelection } from './replace-selection.ts'

/**
 * Gives each line with faults their words, which the theme shows under the line. They are no elements in the text, because Chromium loses a
 * selection that ends at such an element. A change of the text moves them until the next check.
 */
const faultLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lines, transaction) {
    const marked = transaction.effects.find((effect) => effect.is(setDiagnosticsEffect))
    if (!marked) return lines.map(transaction.changes)
    const { doc } = transaction.state
    const messages = new Map<number, string[]>()
    for (const { from, message } of marked.value) {
      const line = doc.lineAt(from).from
      messages.set(line, [...(messages.get(line) ?? []), message])
    }
    const decorations = [...messages].map(([line, words]) =>
      Decoration.line({ attributes: { 'data-fault': words.join('\n') } }).range(line),
    )
    return Decoration.set(decorations, true)
  },
  provide: (field) => EditorView.decorations.from(field),
})

/** Shows these faults in place of those before: in the gutter, in the text, and as a line of words. */
export function markFaults(state: EditorState, marks: readonly Mark[]): TransactionSpec {
  return setDiagnostics(
    state,
    marks.map(({ from, to, message }) => ({
      from: Math.min(from, state.doc.length),
      to: Math.min(to, state.doc.length),
      severity: 'error',
      message,
    })),
  )
}

/** What the editor of a policy can do. Tab indents; Escape and then Tab leaves the editor, as CodeMirror does it. */
export const editorExtensions: Extension = [
  lineNumbers(),
  lintGutter(),
  faultLines,
  history(),
  json(),
  indentUnit.of('  '),
  indentOnInput(),
  bracketMatching(),
  highlightSpecialChars(),
  search({ top: true }),
  syntaxHighlighting(highlighting),
  theme,
  replacesSelection,
  // Assistive technology finds the text in the part that scrolls.
  EditorView.contentAttributes.of({ tabindex: '0' }),
  keymap.of([
    { key: 'F8', run: nextDiagnostic },
    { key: 'Shift-F8', run: previousDiagnostic },
    indentWithTab,
    ...searchKeymap,
    ...historyKeymap,
    ...defaultKeymap,
  ]),
]
