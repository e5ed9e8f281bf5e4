import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const reviewsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/reviews',
  staticData: { crumb: 'Reviews' },
  validateSearch: strings('status', 'kind', 'mine', 'agent_id'),
  component: lazyRouteComponent(() => import('./page.tsx'), 'ReviewsPage'),
})
