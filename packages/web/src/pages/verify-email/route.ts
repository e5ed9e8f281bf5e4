import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { requireSession, rootRoute, strings } from '../../routes.tsx'
import { PageFailed } from '../../shell/frame/page-failed.tsx'

const search = strings('token')

export const verifyEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/verify-email',
  validateSearch: search,
  beforeLoad: ({ location }) => requireSession(location.href),
  errorComponent: PageFailed,
  component: lazyRouteComponent(() => import('./page.tsx'), 'VerifyEmailPage'),
})
