import { agentExamples } from './agents.ts'
import { auditExamples } from './audit.ts'
import { authExamples } from './auth.ts'
import { contentExamples } from './content.ts'
import { credentialExamples } from './credentials.ts'
import { decisionExamples } from './decisions.ts'
import { delegationExamples } from './delegations.ts'
import { edgeExamples } from './edge.ts'
import type { Example } from './example.ts'
import { freezeExamples } from './freezes.ts'
import { modelExamples } from './models.ts'
import { overviewExamples } from './overview.ts'
import { peopleExamples } from './people.ts'
import { policyExamples } from './policies.ts'
import { reportExamples } from './reports.ts'
import { tenantExamples } from './tenants.ts'
import { toolExamples } from './tools.ts'

/** All examples, by operation id. */
export const examples: Readonly<Record<string, Example>> = {
  ...authExamples,
  ...peopleExamples,
  ...tenantExamples,
  ...policyExamples,
  ...contentExamples,
  ...agentExamples,
  ...edgeExamples,
  ...decisionExamples,
  ...reportExamples,
  ...auditExamples,
  ...overviewExamples,
  ...freezeExamples,
  ...delegationExamples,
  ...credentialExamples,
  ...toolExamples,
  ...modelExamples,
}
