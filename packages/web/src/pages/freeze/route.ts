import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const freezeRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/freezes/$id',
  validateSearch: strings('state'),
  staticData: { crumb: 'Freeze' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'FreezePage'),
})
