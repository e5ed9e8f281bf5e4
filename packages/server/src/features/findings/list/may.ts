import type { Finding } from '@mandate/contract/agents'
import type { Rules } from '../../../authz/may.ts'
import { mayPart } from '../../../caller/may-part.ts'
import { acceptanceRefusal } from '../rules.ts'

type Judged = Pick<Finding, 'type' | 'status'>

const findingRules: Rules<Judged> = { acceptFinding: (_, finding) => acceptanceRefusal(finding) }

/** What the caller may do with a finding. */
export const findingMay = mayPart(findingRules, () => (finding: Judged) => finding)
