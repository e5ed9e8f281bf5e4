import { endpoints } from '@mandate/contract/endpoints'
import type { Metrics } from '../../metrics/metrics.ts'
import type { RequestEndListener } from '../connections/request-end.ts'
import { fastifyPath } from '../routes/endpoint-path.ts'

const operations = new Map(
  Object.entries(endpoints).map(([id, endpoint]) => [`${endpoint.method} ${fastifyPath(endpoint)}`, id]),
)

function operationOf(method: string, route: string | undefined): string {
  return operations.get(`${method === 'HEAD' ? 'GET' : method} ${route}`) ?? 'none'
}

/** Counts and times every response by operation and status. */
export function measureRequests(metrics: Metrics): RequestEndListener {
  return ({ method, routeOptions }, { status, answeredMs }) =>
    metrics.observeRequest(operationOf(method, routeOptions.url), status, answeredMs)
}
