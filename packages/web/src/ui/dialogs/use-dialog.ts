import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** True for an entry of the history that a button of the page made, by opening a dialog. */
    isDialog?: true
  }
}

type Search = Record<string, string | undefined>

const named = (name: string | undefined) => ((before: Search) => ({ ...before, dialog: name })) as never

/**
 * The dialog that the address names with `?dialog=`. So a link opens it, and *Back* closes it. @param refusals why the person may not use
 * each dialog of the page, or undefined if the person may
 */
export function useDialog<N extends string>(refusals: Readonly<Record<N, string | undefined>>) {
  const { dialog } = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const { history } = useRouter()
  // The browser goes back a moment later. A second press must not go back further.
  const left = useRef<unknown>(undefined)
  const [opened, setOpened] = useState<N>()
  const allowed = (Object.keys(refusals) as N[]).find((name) => name === dialog && refusals[name] === undefined)
  // A dialog stays open if the person loses the right: it shows what the server refuses, and keeps what was typed.
  const shown = dialog === opened ? opened : allowed
  if (shown !== opened) setOpened(shown)
  return {
    name: shown,
    open: (name: N) =>
      void navigate({
        to: '.',
        search: named(name),
        state: (before) => ({ ...before, isDialog: true }),
        resetScroll: false,
      }),
    /** Closes the dialog. A dialog that must not be left asks before it calls this. */
    close: () => {
      const { state } = history.location
      if (left.current === state) return
      left.current = state
      // Otherwise *Back* would open the dialog again.
      if (state.isDialog) history.back({ ignoreBlocker: true })
      else void navigate({ to: '.', search: named(undefined), replace: true, resetScroll: false, ignoreBlocker: true })
    },
  }
}
