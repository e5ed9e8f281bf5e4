import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { client } from '../../api/client.ts'
import { rootRoute, strings } from '../../routes.tsx'
import { localPath } from '../../session/local-path.ts'
import { takeNextPage } from '../../session/next-page.ts'
import { signedIn } from '../../session/session.ts'

const search = strings('code')

/** Where the browser arrives after a sign-in with a provider. The code in the address works once, so it is exchanged before the page renders. */
export const signInCompleteRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in/complete',
  validateSearch: search,
  loaderDeps: ({ search: { code } }) => ({ code }),
  loader: async ({ deps: { code } }): Promise<{ refusal: string }> => {
    if (code === undefined) return { refusal: 'the link is incomplete' }
    try {
      const { user } = await client.call('exchange', { body: { code } })
      signedIn(user.id)
    } catch (error) {
      return { refusal: (error as Error).message }
    }
    throw redirect({ to: localPath(takeNextPage()), replace: true })
  },
  component: lazyRouteComponent(() => import('./page.tsx'), 'NotSignedInPage'),
})
