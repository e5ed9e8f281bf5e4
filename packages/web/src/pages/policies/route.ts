import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const policiesRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/policies',
  validateSearch: strings('search', 'sort', 'environment_id'),
  staticData: { crumb: 'Policies' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'PoliciesPage'),
})
