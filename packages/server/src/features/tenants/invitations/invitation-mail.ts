import { nameInMail } from '../../../mail/name-in-mail.ts'
import type { Mail } from '../../../mail/send-mail.ts'

export interface InvitationMail {
  to: string
  tenantId: string
  organization: string
  /** Name of the person who invites; empty if they have no name. */
  inviter: string
  academyOnly: boolean
  link: string
}

/** The mail with an invitation's link. */
export function invitationMail(invitation: InvitationMail): Mail {
  const organization = nameInMail(invitation.organization, 'an organization')
  const inviter = nameInMail(invitation.inviter, 'Someone')
  const what = invitation.academyOnly ? `the Academy of ${organization}` : organization
  return {
    to: invitation.to,
    tenantId: invitation.tenantId,
    kind: 'invitation',
    subject: `You are invited to ${what}`,
    text: [
      `${inviter} invites you to join ${what} on Mandate.`,
      'To accept, open this link within 7 days:',
      invitation.link,
      'It works once. If you did not expect this mail, ignore it.',
    ].join('\n\n'),
    link: invitation.link,
  }
}
