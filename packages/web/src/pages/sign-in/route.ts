import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute, strings } from '../../routes.tsx'

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: strings('next', 'token', 'error'),
  component: lazyRouteComponent(() => import('./page.tsx'), 'SignInPage'),
})
