import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const edgeRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/edges/$id',
  validateSearch: strings('span'),
  staticData: { crumb: 'Edge' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'EdgePage'),
})
