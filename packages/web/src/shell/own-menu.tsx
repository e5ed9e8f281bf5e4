import { lazy, Suspense, useState } from 'react'
import { useOwnButton } from './own-button.ts'
import css from './shell.module.css'

// The code of menus is large, and the first page does not need it. It loads as soon as the header is shown.
const OwnMenuList = lazy(async () => ({ default: (await import('./own-menu-list.tsx')).OwnMenuList }))

/** The menu of the person who is signed in. */
export function OwnMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const [isPressed, setPressed] = useState(false)
  return (
    <Suspense fallback={<LoadingButton onPress={() => setPressed(true)} />}>
      <OwnMenuList onShortcuts={onShortcuts} opensAtOnce={isPressed} />
    </Suspense>
  )
}

/** Has the place and the look of the button while the menu loads. If it was pressed, the menu opens when it has loaded. */
function LoadingButton({ onPress }: { onPress: () => void }) {
  const { initials, label } = useOwnButton()
  return (
    <button type="button" className={css.who} aria-label={label} aria-busy="true" onClick={onPress}>
      {initials}
    </button>
  )
}
