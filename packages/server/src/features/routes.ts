import type { Route } from '../http/routes/route.ts'
import { agentRoutes } from './agents/routes.ts'
import { apiKeyRoutes } from './api-keys/routes.ts'
import { approvalRoutes } from './approvals/routes.ts'
import { auditTrailRoutes } from './audit-trail/routes.ts'
import { authRoutes } from './auth/routes.ts'
import { contentRoutes } from './content/routes.ts'
import { credentialRoutes } from './credentials/routes.ts'
import { decisionRoutes } from './decisions/routes.ts'
import { delegationRoutes } from './delegations/routes.ts'
import { edgeRoutes } from './edge/routes.ts'
import { edgePushRoutes } from './edge-push/routes.ts'
import { environmentRoutes } from './environments/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { findingRoutes } from './findings/routes.ts'
import { freezeRoutes } from './freezes/routes.ts'
import { modelRoutes } from './models/routes.ts'
import { withNames } from './names/add-names.ts'
import { operationRoutes } from './operations/routes.ts'
import { overviewRoutes } from './overview/routes.ts'
import { pageRoutes } from './pages/routes.ts'
import { platformRoutes } from './platforms/routes.ts'
import { policyRoutes } from './policies/routes.ts'
import { reportRoutes } from './reports/routes.ts'
import { reviewRoutes } from './reviews/routes.ts'
import { tenantRoutes } from './tenants/routes.ts'
import { toolRoutes } from './tools/routes.ts'
import { userAccessRoutes } from './user-access/routes.ts'
import { userRoutes } from './users/routes.ts'

const ofFeatures: readonly Route[] = [
  ...authRoutes,
  ...operationRoutes,
  ...overviewRoutes,
  ...pageRoutes,
  ...apiKeyRoutes,
  ...auditTrailRoutes,
  ...environmentRoutes,
  ...policyRoutes,
  ...contentRoutes,
  ...agentRoutes,
  ...reviewRoutes,
  ...approvalRoutes,
  ...findingRoutes,
  ...edgeRoutes,
  ...edgePushRoutes,
  ...freezeRoutes,
  ...delegationRoutes,
  ...decisionRoutes,
  ...eventRoutes,
  ...credentialRoutes,
  ...toolRoutes,
  ...modelRoutes,
  ...platformRoutes,
  ...reportRoutes,
  ...tenantRoutes,
  ...userAccessRoutes,
  ...userRoutes,
]

/** The routes of all features. */
export const routes: readonly Route[] = ofFeatures.map(withNames)
