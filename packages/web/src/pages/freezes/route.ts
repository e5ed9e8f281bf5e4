import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const freezesRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/freezes',
  validateSearch: strings('active'),
  staticData: { crumb: 'Freezes' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'FreezesPage'),
})
