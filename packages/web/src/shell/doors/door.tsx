import { type ReactNode, useEffect } from 'react'
import { Glyph } from '../../ui/texts/glyph.tsx'
import { Name } from '../../ui/texts/name.tsx'
import css from './door.module.css'

interface DoorProps {
  name: string
  sentence: ReactNode
  children: ReactNode
  /** True for a page with tables. */
  isWide?: boolean
}

/** The frame of the pages without the sidebar, such as those for people who are not signed in. */
export function Door({ name, sentence, children, isWide = false }: DoorProps) {
  useEffect(() => {
    document.title = `${name} · Mandate`
  }, [name])
  return (
    <div className={css.door}>
      <header className={css.brand}>
        <Glyph name="mark" />
        Mandate
      </header>
      <main className={isWide ? `${css.main} ${css.wide}` : css.main} id="main">
        <h1>
          <Name>{name}</Name>
        </h1>
        <p className={css.sentence}>{typeof sentence === 'string' ? <Name>{sentence}</Name> : sentence}</p>
        {!window.isSecureContext && <NeedsHttps />}
        {children}
      </main>
    </div>
  )
}

/** Browsers drop the cookie of the session, and have no clipboard and no locks, on plain http addresses of other hosts. */
const NeedsHttps = () => (
  <p className={css.note} role="alert">
    <Glyph name="warn" /> You cannot sign in at this address: browsers need https for it. Open Mandate at its https
    address.
  </p>
)

export { css as doorCss }
