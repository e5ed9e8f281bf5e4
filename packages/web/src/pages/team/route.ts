import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const teamRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/team',
  validateSearch: strings('search', 'second_factor'),
  staticData: { crumb: 'Team' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'TeamPage'),
})
