import { EditorView } from '@codemirror/view'

/**
 * Replaces selected text by what is typed. If Chromium replaces it, Chromium adds elements with a `style` attribute to the text, which the
 * security policy forbids and reports.
 */
export const replacesSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const insert = event.inputType.startsWith('delete') ? '' : event.inputType === 'insertText' ? event.data : null
    return insert !== null && !event.isComposing && replace(view, insert)
  },
  // An input method changes the text by itself, so the selected text is removed first.
  compositionstart(_, view) {
    replace(view, '')
    return false
  },
})

function replace(view: EditorView, typed: string): boolean {
  const { from, to } = selected(view)
  const insert = view.state.toText(typed)
  // Chromium also inserts several lines in its own way.
  if (from === to && insert.lines === 1) return false
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    scrollIntoView: true,
    userEvent: typed === '' ? 'delete.selection' : 'input.type',
  })
  return true
}

/** The selection of the browser, which the editor reads a little later. Only Chromium has `getSelection` in a shadow root. */
function selected(view: EditorView): { from: number; to: number } {
  const root = view.root as { getSelection?: () => Selection | null }
  const { anchorNode, anchorOffset, focusNode, focusOffset } = root.getSelection?.() ?? {}
  if (!anchorNode || !focusNode || !view.contentDOM.contains(anchorNode)) return view.state.selection.main
  const ends = [view.posAtDOM(anchorNode, anchorOffset), view.posAtDOM(focusNode, focusOffset)]
  return { from: Math.min(...ends), to: Math.max(...ends) }
}
