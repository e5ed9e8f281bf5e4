import { isUnauthorized } from '@mandate/sdk'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { client, holdCalls } from '../api/client.ts'
import { makeStale, read } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { basePath } from '../api/server-url.ts'
import { continueCalls } from '../api/session-end.ts'
import { whyNot } from '../api/why-not.ts'

/** Who is signed in, and what this person may do. */
export const sessionQuery = { ...read('getSession', { query: { include: 'may' } }), staleTime: 60_000 }

export const useSession = () => useSuspenseQuery(sessionQuery).data

/** Whether the person may read the audit entries about people and their keys. */
export const seesPeople = (session: ReturnType<typeof useSession>) =>
  whyNot(session, 'startAuditVerification') === undefined && session.user.access_scope !== 'scoped'

const rightsMs = 60_000

/** Reads everything again if the role or the rights of the person change while a page is open. */
export function useRightsWatch(): void {
  const { user, may, may_not } = useSuspenseQuery({ ...sessionQuery, refetchInterval: rightsMs }).data
  const rights = JSON.stringify([user.role, may, may_not])
  const before = useRef(rights)
  useEffect(() => {
    if (before.current === rights) return
    before.current = rights
    void makeStale(({ queryKey: [operation] }) => operation !== sessionQuery.queryKey[0])
  }, [rights])
}

const hint = 'mandate signed in'

type Message = { is: 'signed out' } | { is: 'signed in'; userId: string }

const channel = new BroadcastChannel('mandate session')
const tellTabs = (message: Message) => channel.postMessage(message)

/** Remembers that this browser has a session, so that the next visit asks for it, and tells the other tabs who is signed in now. */
export function signedIn(userId: string): void {
  localStorage.setItem(hint, 'yes')
  queryClient.clear()
  tellTabs({ is: 'signed in', userId })
}

/** Continues the page after a sign-in that was necessary while the page was open. */
export function signedInAgain(userId: string): void {
  localStorage.setItem(hint, 'yes')
  tellTabs({ is: 'signed in', userId })
  continueAs(userId)
}

/** False if this browser has no session for sure. Then nothing has to be asked. */
export const mayBeSignedIn = () => localStorage.getItem(hint) !== null

/**
 * Ends the session. All tabs of this browser then show the page *Sign in*. Throws if the server did not end it: its cookie then still opens the
 * account, so nobody may believe that they are signed out.
 */
export async function signOut(): Promise<void> {
  // The event stream would connect again, and pages that read at intervals would read again.
  const release = holdCalls()
  try {
    await queryClient.cancelQueries()
    await client.call('signOut')
  } catch (error) {
    // The session may have ended before.
    if (!isUnauthorized(error)) {
      release()
      void makeStale()
      throw error
    }
  }
  tellTabs({ is: 'signed out' })
  leave()
}

/** Forgets what this tab has read and opens the page *Sign in*. The page is loaded again, so nothing of the person stays in memory. */
export function leave(): void {
  // A page without its data would read it again, and the server would refuse.
  holdCalls()
  localStorage.removeItem(hint)
  queryClient.clear()
  isLeaving = true
  location.assign(`${basePath}/sign-in`)
}

let isLeaving = false

// What the person sees must go, so the router must not ask about unsaved work. Its listener is added after this one.
window.addEventListener('beforeunload', (event) => isLeaving && event.stopImmediatePropagation(), { capture: true })

channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data.is === 'signed out') leave()
  else continueAs(data.userId)
})

/** The browser has one session. A page of the same person continues with it. A page of another person is loaded again. */
function continueAs(userId: string): void {
  const shown = queryClient.getQueryData(sessionQuery.queryKey)
  if (shown === undefined) return
  if (shown.user.id === userId) {
    continueCalls()
    return
  }
  isLeaving = true
  location.reload()
}
