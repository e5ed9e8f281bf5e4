import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute } from '../../routes.tsx'

export const reportsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/reports',
  staticData: { crumb: 'Reports' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'ReportsPage'),
})
