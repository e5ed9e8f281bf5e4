import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const reviewRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/reviews/$id',
  validateSearch: strings(),
  staticData: { crumb: 'Review' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'ReviewPage'),
})
