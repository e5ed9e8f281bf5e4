import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const auditRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/audit',
  validateSearch: strings(
    'tab',
    'event_type',
    'actor_id',
    'since',
    'from',
    'to',
    'agent_id',
    'resource_type',
    'resource_id',
  ),
  staticData: { crumb: 'Audit trail' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'AuditPage'),
})
