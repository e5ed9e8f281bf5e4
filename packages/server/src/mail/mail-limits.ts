/**
 * What a mail is for. `invitation`: a person of a tenant writes to any address. `link`: anybody asks for a mail to an address
 * that has an account. `proof`: a link for someone who is signed in, or knows the password. `approval`: an agent asks people of its
 * tenant. `notice`: news of the addressee's own account. Each kind is counted by itself, so that a flood of one kind holds back no other.
 */
export type MailKind = 'invitation' | 'link' | 'proof' | 'approval' | 'notice'

/** Mails in a clock hour and in a day, both in UTC. */
export interface MailLimit {
  hour: number
  day: number
}

export const limitsToAddress: Record<MailKind, MailLimit> = {
  invitation: { hour: 5, day: 10 },
  // The hour alone limits it: the last link of an hour works for an hour, so nobody keeps a person from a new password by asking often.
  link: { hour: 5, day: 120 },
  proof: { hour: 8, day: 40 },
  approval: { hour: 60, day: 300 },
  notice: { hour: 30, day: 100 },
}

/**
 * Notices and approvals together to an address that its user never proved. It may be someone else's, who asked for none of them.
 */
export const limitToUnproved: MailLimit = { hour: 5, day: 10 }

/**
 * Kinds that are limited from one tenant too. The others go only to people with an account, each of whom has a limit: a limit that they
 * share would let one person hold back the links and the security news of another.
 */
export type KindFromTenant = 'invitation' | 'approval'

export function isLimitedFromTenant(kind: MailKind): kind is KindFromTenant {
  return kind === 'invitation' || kind === 'approval'
}

/** How far a tenant is trusted: `new` is a free tenant in its first 24 hours. */
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

/** @param createdAt ISO 8601 */
export function standingOf(tenant: { plan: string; created_at: string }, now: Date): TenantStanding {
  if (tenant.plan !== 'free') return 'paid'
  return now.getTime() - Date.parse(tenant.created_at) < firstDayMs ? 'new' : 'free'
}
