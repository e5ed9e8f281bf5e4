import { lazy, Suspense, useLayoutEffect, useRef, useState } from 'react'
import { Button } from 'react-aria-components'
import { Glyph } from '../../ui/texts/glyph.tsx'
import css from '../frame/shell.module.css'
import type { PaletteProps } from './palette.tsx'

// The palette is loaded when it opens for the first time.
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

/** Whether a person types there. The field of the palette is in a dialog. */
const isTextField = (target: EventTarget | null) =>
  target instanceof Element && target.matches('input, textarea') && target.closest('[role="dialog"]') === null

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
    // The person does something else while the palette loads.
    const giveUp = ({ target, type }: Event) => {
      if (early.current === undefined || (type === 'focusin' && !isTextField(target))) return
      early.current = undefined
      setOpen(false)
    }
    const pressEscape = (event: KeyboardEvent) => event.key === 'Escape' && giveUp(event)
    const listeners = [
      ['keydown', press],
      ['keydown', pressEscape],
      ['pointerdown', giveUp],
      ['focusin', giveUp],
    ] as const
    for (const [type, listener] of listeners) addEventListener(type, listener as EventListener, true)
    return () => {
      for (const [type, listener] of listeners) removeEventListener(type, listener as EventListener, true)
    }
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
