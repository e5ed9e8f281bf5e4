import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const keysRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/keys',
  validateSearch: strings('state', 'unused_days', 'older_days'),
  staticData: { crumb: 'API keys' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'KeysPage'),
})
