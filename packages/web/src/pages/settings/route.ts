import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const settingsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/settings',
  validateSearch: strings('tab', 'from', 'to', 'by'),
  staticData: { crumb: 'Settings' },
  component: lazyRouteComponent(() => import('./page.tsx'), 'SettingsPage'),
})
