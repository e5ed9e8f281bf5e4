import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute } from '../../routes.tsx'

export const reportRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/reports/$id',
  staticData: { crumb: 'Report' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'ReportPage'),
})
