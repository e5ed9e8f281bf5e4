import type { Input, Schema } from '@mandate/sdk'
import { read } from '../../api/queries.ts'
import { useList } from '../../api/use-list.ts'

export type Approval = Schema<'Approval'>
type Query = NonNullable<Input<'listApprovals'>['query']>

const ended = ['approved', 'rejected', 'expired', 'consumed'] as const
const mostRows = 100

const waiting = (mine: boolean) =>
  ({ status: ['pending'], sort: 'expires_at', ...(mine && { mine: 'true' }) }) satisfies Query

/** The calls that wait, the shortest time first. */
export const useWaitingList = (mine: boolean) => useList('listApprovals', { query: { ...waiting(mine), limit: 50 } })

/** The first call that waits, and how many calls wait. */
export const firstWaitingQuery = (mine: boolean) => read('listApprovals', { query: { ...waiting(mine), limit: 1 } })

/** The last 100 approvals that are no longer pending, the newest first. The API can filter by the time of the request, but not by the time of the end. */
export const endedQuery = () =>
  read('listApprovals', { query: { status: [...ended], limit: mostRows, include: ['names'] } })

export const approvalQuery = (id: string) =>
  read('getApproval', { path: { approval_id: id }, query: { include: ['may', 'names'] } })

/** The start of the reader's day that has the time. */
export const startOfDay = (now: number) => new Date(new Date(now).setHours(0, 0, 0, 0)).toISOString()

/** The name of the person who decided the call. */
export function deciderOf(approval: Approval): string {
  const { names = {} } = approval as { names?: Record<string, string> }
  return names[approval.resolved_by ?? ''] ?? 'A person who was removed'
}
