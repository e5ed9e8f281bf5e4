import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The token of a mailed link, after it has left the address. */
    mailToken?: string
  }
}

/**
 * The token of the mailed link that opened the page. It leaves the address at once, because addresses are kept in the history and seen in pictures of
 * the screen. A reload keeps it.
 */
export function useMailToken(inAddress: string | undefined): string | undefined {
  const kept = useRouterState({ select: ({ location }) => location.state.mailToken })
  const navigate = useNavigate()
  useEffect(() => {
    if (inAddress === undefined) return
    void navigate({
      to: '.',
      search: ((before: Record<string, unknown>) => ({ ...before, token: undefined })) as never,
      state: { mailToken: inAddress },
      replace: true,
    })
  }, [inAddress, navigate])
  return inAddress ?? kept
}
