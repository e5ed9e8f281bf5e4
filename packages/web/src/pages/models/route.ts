import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute } from '../../routes.tsx'

export const modelsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/models',
  staticData: { crumb: 'Models' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'ModelsPage'),
})
