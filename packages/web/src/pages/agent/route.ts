import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const agentRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/agents/$id',
  validateSearch: strings('verdict', 'tab', 'policy'),
  staticData: { crumb: 'Agent' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'AgentPage'),
})
