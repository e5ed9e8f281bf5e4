import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const edgesRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/edges',
  validateSearch: strings('silent', 'environment_id'),
  staticData: { crumb: 'Edges' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'EdgesPage'),
})
