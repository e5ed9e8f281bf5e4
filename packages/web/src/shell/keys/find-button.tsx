import { lazy, Suspense, useLayoutEffect, useState } from 'react'
import { Button } from 'react-aria-components'
import { Glyph } from '../../ui/texts/glyph.tsx'
import css from '../frame/shell.module.css'
import type { PaletteProps } from './palette.tsx'

// The palette is loaded when it opens for the first time.
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

/** Opens the palette, also by Ctrl K or Cmd K. */
export function FindButton(acts: Omit<PaletteProps, 'onClose'>) {
  const [isOpen, setOpen] = useState(false)
  // Before the page is painted, so that no press is lost.
  useLayoutEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      setOpen(true)
    }
    addEventListener('keydown', open)
    return () => removeEventListener('keydown', open)
  }, [])
  return (
    <>
      <Button className={css.find ?? ''} onPress={() => setOpen(true)} aria-keyshortcuts="Control+K">
        <Glyph name="search" />
        <span>Find agents, people, pages</span>
        <kbd>Ctrl K</kbd>
      </Button>
      {isOpen && (
        <Suspense>
          <Palette {...acts} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
