import { byAccessOnly, type Rules } from '../../../authz/may.ts'
import { mayPart } from '../../../caller/may-part.ts'

const edgeRules: Rules<unknown> = { revokeEdge: byAccessOnly }

export const edgeMay = mayPart(edgeRules, () => (edge: object) => edge)
