import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const agentsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/agents',
  validateSearch: strings(
    'governance_state',
    'search',
    'drift',
    'lifecycle_status',
    'execution_coverage',
    'heartbeat',
    'source',
    'status',
    'environment_id',
    'policy_id',
    'owner_user_id',
    'framework',
    'sort',
  ),
  staticData: { crumb: 'Agents' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'AgentsPage'),
})
