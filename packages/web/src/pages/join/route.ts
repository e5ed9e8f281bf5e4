import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute, strings } from '../../routes.tsx'

export const joinRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/join',
  validateSearch: strings('token'),
  component: lazyRouteComponent(() => import('./page.tsx'), 'JoinPage'),
})
