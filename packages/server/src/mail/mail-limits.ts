/**
 * What a mail is for. `invitation`: a person of a tenant writes to any address. `link`: anybody asks for a mail to an address
 * that has an account. `approval`: an agent asks people of its tenant. `notice`: news of the addressee's own account.
 * Each kind is counted by itself, so that a flood of one kind holds back no other.
 */
export type MailKind = 'invitation' | 'link' | 'approval' | 'notice'

/** Mails in a clock hour and in a day, both in UTC. */
export interface MailLimit {
  hour: number
  day: number
}

export const limitsToAddress: Record<MailKind, MailLimit> = {
  invitation: { hour: 5, day: 10 },
  link: { hour: 5, day: 20 },
  approval: { hour: 60, day: 300 },
  notice: { hour: 30, day: 100 },
}

/** How far a tenant is trusted: `new` is a free tenant in its first 24 hours. */
export type TenantStanding = 'new' | 'free' | 'paid'

export const limitsFromTenant: Record<TenantStanding, Record<MailKind, MailLimit>> = {
  new: {
    invitation: { hour: 10, day: 20 },
    link: { hour: 20, day: 60 },
    approval: { hour: 100, day: 300 },
    notice: { hour: 50, day: 200 },
  },
  free: {
    invitation: { hour: 30, day: 100 },
    link: { hour: 50, day: 200 },
    approval: { hour: 300, day: 2000 },
    notice: { hour: 100, day: 500 },
  },
  paid: {
    invitation: { hour: 300, day: 2000 },
    link: { hour: 500, day: 3000 },
    approval: { hour: 3000, day: 20_000 },
    notice: { hour: 1000, day: 6000 },
  },
}

const firstDayMs = 24 * 60 * 60 * 1000

/** @param createdAt ISO 8601 */
export function standingOf(tenant: { plan: string; created_at: string }, now: Date): TenantStanding {
  if (tenant.plan !== 'free') return 'paid'
  return now.getTime() - Date.parse(tenant.created_at) < firstDayMs ? 'new' : 'free'
}
