import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute } from '../../routes.tsx'

export const platformsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/platforms',
  staticData: { crumb: 'Connected platforms' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'PlatformsPage'),
})
