import { agentEndpoints } from './agents.ts'
import { apiKeyEndpoints } from './api-keys.ts'
import { approvalEndpoints } from './approvals.ts'
import { auditEndpoints } from './audit.ts'
import { authEndpoints } from './auth.ts'
import { decisionEndpoints } from './decisions.ts'
import { edgeEndpoints } from './edge.ts'
import { edgePushEndpoints } from './edge-push.ts'
import { environmentEndpoints } from './environments.ts'
import { eventEndpoints } from './events.ts'
import { freezeEndpoints } from './freezes.ts'
import { operationEndpoints } from './operations.ts'
import { overviewEndpoints } from './overview.ts'
import { pageEndpoints } from './pages.ts'
import { platformEndpoints } from './platforms.ts'
import { policyEndpoints } from './policy-endpoints.ts'
import { reportEndpoints } from './reports.ts'
import { reviewEndpoints } from './reviews.ts'
import { tenantEndpoints } from './tenants.ts'
import { userEndpoints } from './users.ts'

/** Every endpoint of the service, by operation id. */
export const endpoints = {
  ...authEndpoints,
  ...userEndpoints,
  ...tenantEndpoints,
  ...environmentEndpoints,
  ...apiKeyEndpoints,
  ...policyEndpoints,
  ...agentEndpoints,
  ...reviewEndpoints,
  ...approvalEndpoints,
  ...edgeEndpoints,
  ...edgePushEndpoints,
  ...decisionEndpoints,
  ...freezeEndpoints,
  ...platformEndpoints,
  ...reportEndpoints,
  ...auditEndpoints,
  ...overviewEndpoints,
  ...eventEndpoints,
  ...operationEndpoints,
  ...pageEndpoints,
}
export type OperationId = keyof typeof endpoints
