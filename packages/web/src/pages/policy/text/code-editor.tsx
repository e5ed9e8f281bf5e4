import { Annotation, Compartment } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { editorExtensions, markFaults } from './code-extensions.ts'
import type { PlainEditorProps } from './plain-editor.tsx'
import css from './text-editor.module.css'

/** Marks a change that this component makes, and not the person. */
const fromOutside = Annotation.define<boolean>()

/**
 * The text with syntax, marks at the lines with faults, undo and search. It is in a shadow root, because CodeMirror adds its styles as a
 * `<style>` element to a document, which the security policy forbids, and as a constructed style sheet to a shadow root.
 */
export function CodeEditor({ label, hint, text, onChange, marks, isBad, goTo }: PlainEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<{ view: EditorView; names: Compartment }>(undefined)
  const changed = useRef(onChange)
  changed.current = onChange
  /** Texts that the person has typed and that have not come back in the property `text` yet. */
  const typed = useRef<string[]>([])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; the effects below follow the properties
  useEffect(() => {
    if (!host.current) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const names = new Compartment()
    const tellChange = EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      const isOutside = transactions.some((each) => each.annotation(fromOutside))
      if (!docChanged || isOutside) return
      const next = state.doc.toString()
      typed.current.push(next)
      changed.current(next)
    })
    const extensions = [editorExtensions, names.of([]), tellChange]
    const view = new EditorView({ doc: text, extensions, parent: root, root })
    editor.current = { view, names }
    return () => view.destroy()
  }, [])

  useEffect(() => {
    const { view, names } = editor.current ?? {}
    const attributes = { 'aria-label': label, 'aria-description': hint, 'aria-invalid': String(isBad) }
    view?.dispatch({ effects: names?.reconfigure(EditorView.contentAttributes.of(attributes)) ?? [] })
  }, [label, hint, isBad])

  useEffect(() => {
    const view = editor.current?.view
    // A fast typist is ahead of the page: an older text of their own must not replace what they typed since.
    const at = typed.current.indexOf(text)
    typed.current = at < 0 ? [] : typed.current.slice(at + 1)
    if (!view || typed.current.length > 0 || view.state.doc.toString() === text) return
    const changes = { from: 0, to: view.state.doc.length, insert: text }
    view.dispatch({ changes, annotations: fromOutside.of(true) })
  }, [text])

  useEffect(() => {
    const view = editor.current?.view
    view?.dispatch(markFaults(view.state, marks))
  }, [marks])

  useEffect(() => {
    const view = editor.current?.view
    if (!view || !goTo) return
    const anchor = Math.min(goTo.from, view.state.doc.length)
    view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
    view.focus()
  }, [goTo])

  return <div ref={host} className={isBad ? `${css.frame} ${css.bad}` : css.frame} />
}
