import { isUnauthorized } from '@mandate/sdk'
import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router'
import { queryClient } from './api/query-client.ts'
import { mayBeSignedIn, sessionQuery, useSession } from './session/session.ts'
import { SignInAgain } from './shell/doors/sign-in-again.tsx'
import { NoSuchPage, PageFailed } from './shell/frame/page-failed.tsx'
import { Shell } from './shell/frame/shell.tsx'
import { AskBeforeLeaving } from './ui/dialogs/ask-before-leaving.tsx'

export const rootRoute = createRootRouteWithContext<Record<never, never>>()({
  component: Outlet,
  notFoundComponent: NoSuchPage,
})

/** Sends a reader who is not signed in to the page *Sign in*, and back to `href` after it. */
export async function requireSession(href: string): Promise<void> {
  const toSignIn = redirect({ to: '/sign-in', search: href === '/' ? {} : { next: href } })
  if (!mayBeSignedIn()) throw toSignIn
  try {
    await queryClient.ensureQueryData(sessionQuery)
  } catch (error) {
    if (!isUnauthorized(error)) throw error
    throw toSignIn
  }
}

const LearnerPage = lazyRouteComponent(() => import('./pages/learner/page.tsx'), 'LearnerPage')

function Inside() {
  const { user } = useSession()
  return (
    <>
      {user.academy_only ? <LearnerPage /> : <Shell />}
      <SignInAgain />
      <AskBeforeLeaving />
    </>
  )
}

/** The parent of all pages for people who are signed in. A learner gets one page at every address. */
export const insideRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'inside',
  component: Inside,
  errorComponent: PageFailed,
  beforeLoad: ({ location }) => requireSession(location.href),
})

/** Reads string parameters of an address. Other values are left out. */
export const strings =
  <K extends string>(...names: readonly K[]) =>
  (search: Record<string, unknown>): { [N in K]?: string } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name]
        return value === undefined || value === '' ? [] : [[name, String(value)]]
      }),
    ) as { [N in K]?: string }
