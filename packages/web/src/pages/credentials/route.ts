import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute } from '../../routes.tsx'

export const credentialsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/credentials',
  staticData: { crumb: 'Credentials' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'CredentialsPage'),
})
