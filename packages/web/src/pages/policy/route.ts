import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const policyRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/policies/$id',
  validateSearch: strings('tab', 'view', 'rule', 'version'),
  staticData: { crumb: 'Policy' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'PolicyPage'),
})
