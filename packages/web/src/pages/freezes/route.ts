import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute } from '../../routes.tsx'

export const freezesRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/freezes',
  staticData: { crumb: 'Freezes' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'FreezesPage'),
})
