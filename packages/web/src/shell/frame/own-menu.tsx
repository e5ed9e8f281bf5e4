import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Button } from 'react-aria-components'
import { useOwnButton } from './own-button.ts'
import css from './shell.module.css'

// The code of menus is large, and the first page does not need it. It loads as soon as the header is shown.
const load = () => import('./own-menu-list.tsx')
const OwnMenuList = lazy(async () => ({ default: (await load()).OwnMenuList }))

/** The menu of the person who is signed in. */
export function OwnMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const { initials, label } = useOwnButton()
  // The same element before and after the code is loaded. Otherwise the focus and a press would be lost.
  const button = useRef<HTMLButtonElement>(null)
  // A failed load is tried again when the menu opens.
  useEffect(() => void load().catch(() => {}), [])
  return (
    <>
      <Button
        ref={button}
        className={css.who ?? ''}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onPress={() => setOpen(!isOpen)}
        onKeyDown={({ key }) => key === 'ArrowDown' && setOpen(true)}
      >
        {initials}
      </Button>
      <Suspense>
        {isOpen && <OwnMenuList button={button} onClose={() => setOpen(false)} onShortcuts={onShortcuts} />}
      </Suspense>
    </>
  )
}
