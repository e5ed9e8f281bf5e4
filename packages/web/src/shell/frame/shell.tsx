import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router'
import { type KeyboardEvent, lazy, Suspense, useEffect, useState } from 'react'
import { read } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { startLive } from '../../live/stream.ts'
import { useRightsWatch, useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { loadLeaveQuestion } from '../../ui/dialogs/ask-before-leaving.tsx'
import { DialogLoss, leavesPage } from '../../ui/dialogs/unsent.ts'
import { Glyph } from '../../ui/texts/glyph.tsx'
import { numberOf } from '../../words/words.ts'
import { loadSignInDialog } from '../doors/sign-in-again.tsx'
import { FindButton } from '../keys/find-button.tsx'
import type { StopTarget } from '../keys/palette.tsx'
import { useListKeys } from '../keys/use-list-keys.ts'
import { useQuestionMark } from '../keys/use-question-mark.ts'
import { FreezeBar } from '../stop/freeze-bar.tsx'
import { Crumbs } from './crumbs.tsx'
import { GoneBar } from './gone-bar.tsx'
import { LiveBar, LiveMark } from './live-bar.tsx'
import { loadAllPages } from './load-pages.ts'
import { places } from './navigation.ts'
import { OwnMenu } from './own-menu.tsx'
import { PrintFoot } from './print-foot.tsx'
import css from './shell.module.css'
import { UnknownFilters } from './unknown-filters.tsx'

// The dialogs are loaded when they open for the first time, or with the other pages.
const loadFreezeDialog = () => import('../stop/freeze-dialog.tsx')
const FreezeDialog = lazy(async () => ({ default: (await loadFreezeDialog()).FreezeDialog }))
const SuspendDialog = lazy(async () => ({ default: (await import('../stop/suspend-dialog.tsx')).SuspendDialog }))
const Shortcuts = lazy(async () => ({ default: (await import('../keys/shortcuts.tsx')).Shortcuts }))

// The dialogs of the frame close when the path changes.
const leavesPath = leavesPage()

/** The frame of every page: sidebar, header, and the page itself. */
export function Shell() {
  const [isOpen, setOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const [opened, open] = useState<'freeze' | 'suspend' | 'shortcuts'>()
  const [target, setTarget] = useState<StopTarget>()
  // Another target is another dialog: a dialog keeps what it was opened for.
  const targetKey = target?.agent?.id ?? target?.environmentId ?? 'none'
  const stop = (dialog: 'freeze' | 'suspend') => (on?: StopTarget) => {
    setTarget(on)
    open(dialog)
  }
  const freeze = stop('freeze')
  const shortcuts = () => open('shortcuts')
  const session = useSession()
  useLive()
  useRightsWatch()
  useQuestionMark(shortcuts)
  useListKeys()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sidebar and the dialogs close when the page changes
  useEffect(() => {
    setOpen(false)
    open(undefined)
  }, [path])
  const closeOnEscape = (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false)
  return (
    <>
      <a className={css.skip} href="#main">
        Skip to content
      </a>
      <div className={css.app}>
        <Link to="/" className={css.brand} aria-label="Mandate">
          <Glyph name="mark" />
          <span>Mandate</span>
        </Link>
        <header className={css.top}>
          <span className={css['open-side']}>
            <Button look="icon" name={isOpen ? 'Close navigation' : 'Open navigation'} onPress={() => setOpen(!isOpen)}>
              <Glyph name={isOpen ? 'close' : 'menu'} />
            </Button>
          </span>
          <Crumbs />
          <span className={css.gap} />
          <LiveMark />
          <FindButton onFreeze={freeze} onSuspend={stop('suspend')} onShortcuts={shortcuts} />
          <Button
            glyph="frozen"
            onPress={() => freeze()}
            disabledBecause={whyNot(session, 'createFreeze')}
            reason="hidden"
          >
            <span className={css.freeze}>Freeze…</span>
          </Button>
          <OwnMenu onShortcuts={shortcuts} />
        </header>
        <Sidebar isOpen={isOpen} path={path} onKeyDown={closeOnEscape} />
        <main className={css.main} id="main" tabIndex={-1}>
          <LiveBar />
          <GoneBar />
          <FreezeBar />
          <UnknownFilters />
          <div className={css.page}>
            <Outlet />
            <PrintFoot />
          </div>
        </main>
      </div>
      <DialogLoss value={leavesPath}>
        <Suspense>
          {opened === 'freeze' && <FreezeDialog key={targetKey} {...target} onClose={() => open(undefined)} />}
          {opened === 'suspend' && <SuspendDialog key={targetKey} {...target} onClose={() => open(undefined)} />}
          {opened === 'shortcuts' && <Shortcuts onClose={() => open(undefined)} />}
        </Suspense>
      </DialogLoss>
    </>
  )
}

interface SidebarProps {
  isOpen: boolean
  /** The path of the page that is shown. */
  path: string
  onKeyDown: (event: KeyboardEvent) => void
}

function Sidebar({ isOpen, path, onKeyDown }: SidebarProps) {
  const { data: overview } = useQuery(read('getOverview', { query: { include: 'names' } }))
  return (
    <nav className={css.side} aria-label="Main" data-open={isOpen} onKeyDown={onKeyDown}>
      {places.map(({ group, places }) => (
        <div key={group} className={css.group}>
          <h2>{group}</h2>
          <ul>
            {places.map(({ to, search = {}, name, count, isCall }) => {
              const value = overview && count?.(overview)
              return (
                <li key={to}>
                  <Link
                    to={to}
                    search={search as never}
                    className={css.place}
                    // The router marks the page that is shown. The place of an object is only where that page belongs.
                    activeOptions={{ exact: true, includeSearch: false }}
                    aria-current={path.startsWith(`${to}/`) ? 'true' : undefined}
                  >
                    {name}
                    {value ? (
                      <span className={`${css.count} ${isCall ? css.call : ''}`}>{numberOf(value, 10_000)}</span>
                    ) : null}
                  </Link>
                </li>
              )
            })}
          </ul>
        </div>
      ))}
    </nav>
  )
}

/** Receives events while someone is signed in, and loads the other pages. */
function useLive(): void {
  const { routesById } = useRouter()
  useEffect(() => {
    const stop = new AbortController()
    startLive(stop.signal)
    loadAllPages(routesById, [loadFreezeDialog, loadSignInDialog, loadLeaveQuestion], stop.signal)
    return () => stop.abort()
  }, [routesById])
}
