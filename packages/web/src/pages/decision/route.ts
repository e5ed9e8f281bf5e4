import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute } from '../../routes.tsx'

export const decisionRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/decisions/$id',
  staticData: { crumb: 'Decision' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'DecisionPage'),
})
