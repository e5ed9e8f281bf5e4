import type { Route } from '../http/route.ts'
import { tenantRoutes } from './tenants/routes.ts'

/** The map: every feature's routes. */
export const routes: readonly Route[] = [...tenantRoutes]
