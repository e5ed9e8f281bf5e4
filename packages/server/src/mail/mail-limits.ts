/**
 * The purpose of a mail.
 * - `invitation`: a person of a tenant invites any address.
 * - `link`: a link that anyone can request for an address with an account.
 * - `proof`: a verification link for a person who is signed in or knows the password.
 * - `approval`: an agent asks people of its tenant.
 * - `notice`: information about the recipient's own account.
 * Each kind is counted separately, so many mails of one kind do not block mails of another kind.
 */
export type MailKind = 'invitation' | 'link' | 'proof' | 'approval' | 'notice'

/** Maximum number of mails per clock hour and per day. Hours and days are in UTC. */
export interface MailLimit {
  hour: number
  day: number
}

export const limitsToAddress: Record<MailKind, MailLimit> = {
  invitation: { hour: 5, day: 10 },
  // Only the hourly limit has an effect, because the daily limit is 24 times as high. If a stranger requests all links of an
  // hour, the owner of the address can use the link in the last mail. A link is valid for an hour.
  link: { hour: 5, day: 120 },
  proof: { hour: 8, day: 40 },
  approval: { hour: 60, day: 300 },
  notice: { hour: 30, day: 100 },
}

/**
 * Limit for an address that is not verified. Notices and approval mails to the address are counted together. The address may
 * belong to a person who did not ask for the mails.
 */
export const limitToUnproved: MailLimit = { hour: 5, day: 10 }

/**
 * Kinds of mail that also have a limit per tenant. All other kinds are only sent to people with an account, and each recipient
 * has a separate limit. If the other kinds had a limit per tenant too, one person could use it up. The other people of the
 * tenant would then not get their links and security notices.
 */
export type KindFromTenant = 'invitation' | 'approval'

export function isLimitedFromTenant(kind: MailKind): kind is KindFromTenant {
  return kind === 'invitation' || kind === 'approval'
}

/** How far a tenant is trusted. `new` is a tenant on the free plan in its first 24 hours. */
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

/** Returns how far a tenant is trusted, which decides its mail limits. `created_at` is ISO 8601. */
export function standingOf(tenant: { plan: string; created_at: string }, now: Date): TenantStanding {
  if (tenant.plan !== 'free') return 'paid'
  return now.getTime() - Date.parse(tenant.created_at) < firstDayMs ? 'new' : 'free'
}
