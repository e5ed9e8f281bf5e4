import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute } from '../../routes.tsx'

export const contentPatternsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/content-patterns',
  staticData: { crumb: 'Content patterns' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'ContentPatternsPage'),
})
