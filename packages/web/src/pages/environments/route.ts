import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute } from '../../routes.tsx'

export const environmentsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/environments',
  staticData: { crumb: 'Environments' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'EnvironmentsPage'),
})
