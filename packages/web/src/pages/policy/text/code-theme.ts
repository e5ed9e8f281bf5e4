import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

// Custom properties are inherited into the shadow root. Colour is for faults only, so the syntax differs by weight and by strength of the ink.

export const highlighting = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--ink)', fontWeight: 'var(--weight-head)' },
  { tag: [tags.string, tags.number], color: 'var(--ink)' },
  { tag: [tags.bool, tags.null], color: 'var(--ink)', fontStyle: 'italic' },
  { tag: [tags.separator, tags.squareBracket, tags.brace], color: 'var(--ink-3)' },
])

export const theme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--surface)', maxBlockSize: '740px' },
  '&.cm-focused': { outline: 'var(--ring) solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': {
    fontFamily: 'var(--font-mono)',
    fontSize: 'var(--text-12)',
    lineHeight: '20px',
    fontVariantLigatures: 'none',
    fontFeatureSettings: '"zero"',
  },
  '.cm-content': { paddingBlock: 'var(--sp-3)', caretColor: 'var(--ink)' },
  '.cm-line': { paddingInline: 'var(--sp-3)' },
  '.cm-gutters': {
    backgroundColor: 'var(--canvas)',
    borderInlineEnd: '1px solid var(--line)',
    color: 'var(--ink-3)',
  },
  '.cm-lineNumbers .cm-gutterElement': { paddingInline: 'var(--sp-3)' },
  '.cm-gutter-lint .cm-gutterElement': { paddingInline: '2px' },
  '.cm-lint-marker-error': {
    content: '""',
    inlineSize: '8px',
    blockSize: '8px',
    marginBlockStart: '6px',
    backgroundColor: 'var(--deny-mark)',
  },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--deny-mark)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintPoint-error::after': { borderBottomColor: 'var(--deny-mark)' },
  '.cm-line[data-fault]::after': {
    content: 'attr(data-fault)',
    display: 'block',
    marginInline: 'calc(-1 * var(--sp-3))',
    padding: '2px var(--sp-3)',
    backgroundColor: 'var(--deny-tint)',
    color: 'var(--deny-text)',
    fontFamily: 'var(--font-sans)',
    whiteSpace: 'pre-line',
    overflowWrap: 'anywhere',
  },
  '.cm-specialChar': { color: 'var(--deny-text)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'transparent',
    outline: '1px solid var(--line-control)',
  },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--deny-tint)' },
  '.cm-searchMatch': { backgroundColor: 'var(--hold-tint)', outline: '1px solid var(--hold-mark)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--selected)', outline: '1px solid var(--focus)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--selected)' },
  '.cm-content ::selection': { backgroundColor: 'var(--selected)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line-strong)',
    color: 'var(--ink)',
    fontFamily: 'var(--font-sans)',
  },
  '.cm-diagnostic-error': { borderInlineStart: '3px solid var(--deny-mark)' },
  '.cm-panels': { backgroundColor: 'var(--canvas)', color: 'var(--ink)', fontFamily: 'var(--font-sans)' },
  '.cm-panels-top': { borderBlockEnd: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: 'var(--sp-3)', fontSize: 'var(--text-13)' },
  '.cm-panel.cm-search label': { fontSize: 'var(--text-12)' },
  '.cm-panel.cm-search [name=close]': {
    inlineSize: '24px',
    blockSize: '24px',
    fontSize: 'var(--text-16)',
    color: 'inherit',
  },
  '.cm-textfield': {
    minBlockSize: 'var(--control)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-control)',
    borderRadius: 'var(--radius)',
    color: 'var(--ink)',
    fontSize: 'inherit',
  },
  '.cm-button': {
    minBlockSize: 'var(--control)',
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-control)',
    borderRadius: 'var(--radius)',
    color: 'var(--ink)',
    fontSize: 'inherit',
  },
  '.cm-panel :focus-visible': { outline: 'var(--ring) solid var(--focus)', outlineOffset: 'var(--ring-gap)' },
})
