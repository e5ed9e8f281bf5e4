import type { ReactNode } from 'react'
import { Button } from '../actions/button.tsx'
import { Phrase } from '../texts/direction/phrase.tsx'
import { Glyph } from '../texts/glyph.tsx'
import css from './lost-race.module.css'

interface Choice {
  text: string
  act: () => void
}

interface LostRaceProps {
  /** The name of the section. */
  label: string
  /** Says who was first, and where the draft is. */
  text: string
  /** Both versions. */
  children: ReactNode
  keep: Choice
  take: Choice
}

/** Another person saved while the draft was open: shows both, with the choice. */
export function LostRace({ label, text, children, keep, take }: LostRaceProps) {
  return (
    <section className={css.race} aria-label={label}>
      <p role="alert">
        <Glyph name="warn" />
        <span>
          <Phrase>{text}</Phrase>
        </span>
      </p>
      <div className={css.both}>{children}</div>
      <div className={css.acts}>
        <Button onPress={keep.act}>{keep.text}</Button>
        <Button onPress={take.act}>{take.text}</Button>
      </div>
    </section>
  )
}
