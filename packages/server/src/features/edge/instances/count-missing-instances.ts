import type { Services } from '../../../services.ts'
import { quietAt } from '../reach/quiet.ts'
import { countMissing } from './instance-queries.ts'

/** Counts the instances of a tenant that became silent within the last hour and that no newer instance replaced. The count stops at 10,000. */
export async function countMissingInstances(services: Services, tenantId: string, now: string): Promise<number> {
  return await countMissing(services.db.reader(tenantId), quietAt({ now, services }))
}
