import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const helpRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/help',
  validateSearch: strings('tab', 'search'),
  staticData: { crumb: 'Help' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'HelpPage'),
})
