import type { ReactNode } from 'react'
import { Glyph, type GlyphName } from '../texts/glyph.tsx'
import css from './state.module.css'

export type Tone = 'quiet' | 'allow' | 'hold' | 'deny' | 'proof' | 'off' | 'drift'

export interface StateLook {
  glyph: GlyphName
  word: string
  tone: Tone
}

/** A state as a shape and a word. The shape and the word say it without the colour. A word that somebody chose is a `Name`. */
export function State({ glyph, word, tone }: Omit<StateLook, 'word'> & { word: ReactNode }) {
  return (
    <span className={`${css.state} ${css[tone] ?? ''}`}>
      <Glyph name={glyph} />
      {word}
    </span>
  )
}
