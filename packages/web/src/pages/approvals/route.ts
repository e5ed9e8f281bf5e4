import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const approvalsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/approvals',
  validateSearch: strings('open', 'who', 'decided'),
  staticData: { crumb: 'Approvals' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'ApprovalsPage'),
})
