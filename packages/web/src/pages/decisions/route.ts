import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'
import { filterNames } from './filters.ts'

export const decisionsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/decisions',
  validateSearch: strings('span', 'within', ...filterNames),
  staticData: { crumb: 'Decisions' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'DecisionsPage'),
})
