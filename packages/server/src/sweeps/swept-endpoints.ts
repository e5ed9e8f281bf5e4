import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { endpoints, type OperationId } from '@mandate/contract/endpoints'

const every = Object.entries(endpoints) as [OperationId, Endpoint][]
const chosen = (process.env.SWEEP ?? '').split(',').filter((name) => name !== '')
const unknown = chosen.filter((name) => !(name in endpoints))
if (unknown.length > 0) throw new Error(`SWEEP names operations that do not exist: ${unknown.join(', ')}`)

/** True if the variable `SWEEP` selects some endpoints. During development, a run then takes only seconds. */
export const isPartOfSweep = chosen.length > 0

/** The endpoints that are tested: all, or those that `SWEEP=createApiKey,revokeApiKey` names. */
export const sweptEndpoints = every.filter(([id]) => !isPartOfSweep || chosen.includes(id))
