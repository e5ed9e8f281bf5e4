import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute, strings } from '../../routes.tsx'

export const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  validateSearch: strings('token'),
  component: lazyRouteComponent(() => import('./page.tsx'), 'ResetPasswordPage'),
})
