import type { Endpoint } from '@mandate/contract/endpoint'
import { endpoints, type OperationId } from '@mandate/contract/endpoints'

const every = Object.entries(endpoints) as [OperationId, Endpoint][]
const chosen = (process.env.SWEEP ?? '').split(',').filter((name) => name !== '')
const unknown = chosen.filter((name) => !(name in endpoints))
if (unknown.length > 0) throw new Error(`SWEEP names operations that do not exist: ${unknown.join(', ')}`)

/** True if `SWEEP` selects some operations, so that a sweep takes only seconds during development. */
export const isPartOfSweep = chosen.length > 0

/** The endpoints of a sweep: all, or those of `SWEEP=createApiKey,revokeApiKey`. */
export const sweptEndpoints = every.filter(([id]) => !isPartOfSweep || chosen.includes(id))
