import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { insideRoute, strings } from '../../routes.tsx'

export const toolRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/tools/$id',
  staticData: { crumb: 'Tool' },
  // `definition` is the start of the hash of the definition that is shown.
  validateSearch: strings('definition', 'verdict'),
  component: lazyRouteComponent(() => import('./page.tsx'), 'ToolPage'),
})
