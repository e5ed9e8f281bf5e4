import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const overviewRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/',
  validateSearch: strings('span'),
  staticData: { crumb: 'Overview' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'OverviewPage'),
})
