import { lazy, Suspense, useLayoutEffect, useRef, useState } from 'react'
import { Button } from 'react-aria-components'
import { Glyph } from '../../ui/texts/glyph.tsx'
import css from '../frame/shell.module.css'
import type { PaletteProps } from './palette.tsx'

// The palette is loaded when it opens for the first time.
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

/** Opens the palette, also by Ctrl K or Cmd K. */
export function FindButton(acts: Omit<PaletteProps, 'onClose' | 'early'>) {
  const [isOpen, setOpen] = useState(false)
  const early = useRef<string>(undefined)
  // Before the page is painted, so that no press is lost.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, altKey, shiftKey } = event
      const isControl = event.ctrlKey || event.metaKey
      if (key.toLowerCase() === 'k' && isControl && !altKey && !shiftKey) {
        if (!isOpen) early.current = ''
        setOpen(true)
      } else if (early.current !== undefined && key.length === 1 && !isControl && !altKey) {
        early.current += key
        event.stopPropagation()
      } else return
      event.preventDefault()
    }
    addEventListener('keydown', press, true)
    return () => removeEventListener('keydown', press, true)
  }, [isOpen])
  return (
    <>
      <Button className={css.find ?? ''} onPress={() => setOpen(true)} aria-keyshortcuts="Control+K">
        <Glyph name="search" />
        <span>Find agents, people, pages</span>
        <kbd>Ctrl K</kbd>
      </Button>
      {isOpen && (
        <Suspense>
          <Palette {...acts} early={early} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
