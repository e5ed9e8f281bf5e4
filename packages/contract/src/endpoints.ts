import { agentEndpoints } from './agents.ts'
import { apiKeyEndpoints } from './api-keys.ts'
import { approvalEndpoints } from './approvals.ts'
import { auditEndpoints } from './audit/audit.ts'
import { authEndpoints } from './auth.ts'
import { contentEndpoints } from './content.ts'
import { credentialEndpoints } from './credentials.ts'
import { decisionEndpoints } from './decisions.ts'
import { delegationEndpoints } from './delegations.ts'
import { edgeEndpoints } from './edge.ts'
import { edgePushEndpoints } from './edge-push.ts'
import { environmentEndpoints } from './environments.ts'
import { eventEndpoints } from './events.ts'
import { freezeEndpoints } from './freezes.ts'
import { modelEndpoints } from './models.ts'
import { operationEndpoints } from './operations.ts'
import { overviewEndpoints } from './overview.ts'
import { pageEndpoints } from './pages.ts'
import { platformEndpoints } from './platforms.ts'
import { policyEndpoints } from './policies/policy-endpoints.ts'
import { reportEndpoints } from './reports/reports.ts'
import { reviewEndpoints } from './reviews.ts'
import { tenantEndpoints } from './tenants.ts'
import { toolEndpoints } from './tools.ts'
import { userEndpoints } from './users.ts'

/** Every endpoint of the service, by operation id. */
export const endpoints = {
  ...authEndpoints,
  ...userEndpoints,
  ...tenantEndpoints,
  ...environmentEndpoints,
  ...apiKeyEndpoints,
  ...policyEndpoints,
  ...contentEndpoints,
  ...agentEndpoints,
  ...reviewEndpoints,
  ...approvalEndpoints,
  ...edgeEndpoints,
  ...edgePushEndpoints,
  ...decisionEndpoints,
  ...freezeEndpoints,
  ...delegationEndpoints,
  ...credentialEndpoints,
  ...toolEndpoints,
  ...modelEndpoints,
  ...platformEndpoints,
  ...reportEndpoints,
  ...auditEndpoints,
  ...overviewEndpoints,
  ...eventEndpoints,
  ...operationEndpoints,
  ...pageEndpoints,
}
export type OperationId = keyof typeof endpoints
