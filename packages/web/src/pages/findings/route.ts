import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const findingsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/findings',
  staticData: { crumb: 'Findings' },
  validateSearch: strings('status', 'type', 'severity', 'environment_id', 'agent_id'),
  component: lazyRouteComponent(() => import('./page.tsx'), 'FindingsPage'),
})
