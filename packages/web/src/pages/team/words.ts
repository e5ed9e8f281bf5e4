import type { Schema } from '@mandate/sdk'
import type { Clause } from '../../ui/texts/sentence.tsx'
import { counted } from '../../words/words.ts'

type User = Schema<'User'>
type Seats = NonNullable<Schema<'Tenant'>['seats']>

export const roleWords: Record<User['role'], string> = {
  viewer: 'Viewer',
  member: 'Member',
  manager: 'Manager',
  owner: 'Owner',
}

/** Such as `Manager`, or `Manager, read-only`. */
export const roleText = ({ role, read_only }: Pick<User, 'role' | 'read_only'>): string =>
  read_only ? `${roleWords[role]}, read-only` : roleWords[role]

export const readOnlyHint =
  'Sees what the role sees. Changes only their own sign-in and name, and may leave the organization. API keys of this person change nothing either.'

/** What each role may do, for the choice of a role. */
export const roleHints: Record<User['role'], string> = {
  viewer:
    'Reads everything that the access allows, except entries about people in the audit trail. Cannot verify the trail.',
  member: 'Registers agents, creates edges and keys, and writes policies.',
  manager:
    'Also decides what waits for managers, invites people, sets their access, and changes environments and policies of the organization.',
  owner: 'Also decides on production, changes the settings and removes people.',
}

/** What happened to the mail of an invitation, and what the person who invited does next. */
export const deliveryWords: Record<Schema<'Invited'>['mail_delivery'], string> = {
  mail_server:
    'The mail with the link goes to the mail server now. If it does not arrive, choose Send again in the list Pending invitations, or in the list Learners for a learner.',
  folder:
    'Nobody gets a mail: this server has no mail server. It writes the mail into the folder mail of its data folder (data/mail, unless DATA_DIR is set). The operator of the server takes the link from there and gives it to the invited person only.',
}

/** The name of a person, or the address of someone who has no name. */
export const nameOf = ({ display_name, email }: Pick<User, 'display_name' | 'email'>) => display_name || email

/** What a person sees: everything, or what was granted. The counts are for managers and owners. */
export function accessWords({ access_scope, agents, environments }: User): string {
  if (access_scope === 'all') return 'All'
  const parts = [
    agents ? counted(agents, '# agent', '# agents', 10_000) : '',
    environments ? counted(environments, '# environment', '# environments') : '',
  ].filter(Boolean)
  if (parts.length > 0) return `Scoped, ${parts.join(', ')}`
  return agents === 0 ? 'Scoped, nothing granted' : 'Scoped'
}

/** What full access ends. Empty for a person without a grant. */
export const grantsEnd = ({ agents }: Pick<User, 'agents'>) =>
  agents ? counted(agents, ' The grant of # agent is removed.', ' The grants of # agents are removed.', 10_000) : ''

const factorNames = { totp: 'code', passkey: 'passkey' }

/**
 * The kinds of second factors of a person, or that the sign-in provider may ask for one. Undefined for a person without any.
 */
export function factorWords(user: Pick<User, 'mfa_enrolled' | 'factors' | 'federated'>): string | undefined {
  if (user.mfa_enrolled) return user.factors.map((factor) => factorNames[factor]).join(', ') || 'enrolled'
  return user.federated ? 'by sign-in provider' : undefined
}

/** The values of the filter of second factors in the address of the page. */
export const factorOptions = [
  { value: 'own', text: 'set up' },
  { value: 'provider', text: 'by sign-in provider' },
  { value: 'none', text: 'missing' },
]

/** The query for people who have no second factor, and no sign-in provider that may ask for one. */
export const withoutFactor = { mfa_enrolled: false, federated: false } as const

/** The query for a value of the filter of second factors. Undefined without a value, and for an unknown value. */
export function factorQuery(value: string | undefined): { mfa_enrolled: boolean; federated?: boolean } | undefined {
  if (value === 'own') return { mfa_enrolled: true }
  if (value === 'provider') return { mfa_enrolled: false, federated: true }
  return value === 'none' ? withoutFactor : undefined
}

/** The further actions on a learner. A learner who has not accepted the invitation has no sessions and no second factor. */
export const learnerActs = ({ status }: Pick<User, 'status'>) =>
  status === 'pending'
    ? ([{ name: 'Withdraw', act: 'withdraw', operation: 'removeUser' }] as const)
    : ([
        { name: 'Reset MFA', act: 'reset mfa', operation: 'resetMfa' },
        { name: 'End sessions', act: 'end sessions', operation: 'revokeUserSessions' },
        { name: 'Remove', act: 'remove', operation: 'removeUser' },
      ] as const)

/** How many seats are taken, as the first clause of the sentence. */
export function seatClause({ used, max, invited }: Seats): string {
  const seats = max === null ? undefined : counted(max, '# seat', '# seats')
  const taken = seats
    ? counted(used, `# of ${seats} is taken`, `# of ${seats} are taken`, 10_000)
    : counted(used, '# seat is taken', '# seats are taken', 10_000)
  if (invited === 0) return taken
  return `${taken}, ${counted(invited, '# of them by an open invitation', '# of them by open invitations')}`
}

/** Who has no second factor, as a clause that leads to these people. */
export function withoutFactorClause(people: number): Clause[] {
  if (people === 0) return []
  const text = counted(people, '# person has no second factor', '# people have no second factor')
  return [{ text, to: '/team', search: { second_factor: 'none' }, tone: 'deny' }]
}

/** How many people can still be invited. Null without a limit. Open invitations are among the seats that are used. */
export function freeSeats({ used, max }: Pick<Seats, 'used' | 'max'>): number | null {
  return max === null ? null : Math.max(0, max - used)
}
