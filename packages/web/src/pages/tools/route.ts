import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const toolsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/tools',
  staticData: { crumb: 'Tools' },
  validateSearch: strings('search', 'state', 'server', 'label', 'warning', 'environment_id', 'agent_id'),
  component: lazyRouteComponent(() => import('./page.tsx'), 'ToolsPage'),
})
