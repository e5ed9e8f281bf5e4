/**
 * The purpose of a mail. `invitation`: a person of a tenant invites any address. `link`: anyone requests a mail to an address with an
 * account. `proof`: a verification link for a person who is signed in or knows the password. `approval`: an agent asks people of its
 * tenant. `notice`: news about the addressee's account. Each kind is counted separately, so many mails of one kind withhold none of
 * another.
 */
export type MailKind = 'invitation' | 'link' | 'proof' | 'approval' | 'notice'

/** Most mails per clock hour and per day, both in UTC. */
export interface MailLimit {
  hour: number
  day: number
}

export const limitsToAddress: Record<MailKind, MailLimit> = {
  invitation: { hour: 5, day: 10 },
  // Only the hour limits links. The last link of an hour stays valid for an hour, so no one can block a password reset by asking often.
  link: { hour: 5, day: 120 },
  proof: { hour: 8, day: 40 },
  approval: { hour: 60, day: 300 },
  notice: { hour: 30, day: 100 },
}

/** Limit for notices and approvals together to an unverified address. It may belong to another person, who did not ask for the mails. */
export const limitToUnproved: MailLimit = { hour: 5, day: 10 }

/**
 * Kinds that also have a limit per tenant. All other kinds go only to people with an account, each with a limit of their own. With a
 * shared limit, one person could make the server withhold another person's links and security news.
 */
export type KindFromTenant = 'invitation' | 'approval'

export function isLimitedFromTenant(kind: MailKind): kind is KindFromTenant {
  return kind === 'invitation' || kind === 'approval'
}

/** The trust in a tenant. `new` is a free tenant in its first 24 hours. */
export type TenantStanding = 'new' | 'free' | 'paid'

export const limitsFromTenant: Record<TenantStanding, Record<KindFromTenant, MailLimit>> = {
  new: {
    invitation: { hour: 10, day: 20 },
    approval: { hour: 100, day: 300 },
  },
  free: {
    invitation: { hour: 30, day: 100 },
    approval: { hour: 300, day: 2000 },
  },
  paid: {
    invitation: { hour: 300, day: 2000 },
    approval: { hour: 3000, day: 20_000 },
  },
}

const firstDayMs = 24 * 60 * 60 * 1000

/** `created_at` is ISO 8601. */
export function standingOf(tenant: { plan: string; created_at: string }, now: Date): TenantStanding {
  if (tenant.plan !== 'free') return 'paid'
  return now.getTime() - Date.parse(tenant.created_at) < firstDayMs ? 'new' : 'free'
}
