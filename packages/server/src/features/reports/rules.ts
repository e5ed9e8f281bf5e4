import type { ReportSummary } from '@mandate/contract/reports/reports'
import type { Member } from '../../authz/actor.ts'
import { boundEnvironment, hasAuthority, seesWholeTenant } from '../../authz/can.ts'
import { conflict, forbidden, type Refusal } from '../../refusal.ts'

/**
 * Returns the environment that a new report covers, or null for the whole organization. This is `sent`, the environment in the
 * request. If the request names none, it is the environment that the caller's key is bound to, or null.
 */
export function placeOfNewReport(actor: Member, sent: string | null | undefined): string | null {
  return sent === undefined ? boundEnvironment(actor) : sent
}

/**
 * Returns the 403 for a caller who may not create a report of this environment. Null means the whole organization: the caller must
 * see all of it. A bound key creates reports of its environment only. Does not check that the environment exists and that the user
 * has access to it.
 */
export function placementRefusal(actor: Member, environmentId: string | null): Refusal | undefined {
  const bound = boundEnvironment(actor)
  if (bound !== null && environmentId !== bound) {
    return forbidden('an API key bound to an environment can only create reports of its own environment')
  }
  if (environmentId !== null || seesWholeTenant(actor)) return undefined
  return forbidden('only a user with access to the whole organization may create a report of the organization')
}

/** Returns the 403 for a caller who is neither a manager, an owner nor the user who created the report. */
export function keeperRefusal(actor: Member, report: Pick<ReportSummary, 'generated_by'>): Refusal | undefined {
  const isMaker = report.generated_by === actor.userId && hasAuthority(actor, 'member')
  if (isMaker || hasAuthority(actor, 'manager')) return undefined
  return forbidden('only a manager, an owner or the user who created the report may do this')
}

/** Returns the 403 for a report with entries that the caller may not see, because a share link would show these entries. */
export function contentRefusal(seesAllEntries: boolean): Refusal | undefined {
  if (seesAllEntries) return undefined
  return forbidden('you cannot share this report, because it contains agents or policies that you have no access to')
}

/** Returns the 409 for a report that is not ready. */
export function readinessRefusal({ status }: Pick<ReportSummary, 'status'>): Refusal | undefined {
  return status === 'ready' ? undefined : conflict('the report is not ready')
}
