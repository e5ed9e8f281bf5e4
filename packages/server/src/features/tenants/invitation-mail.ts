import type { Mail } from '../../mail/send-mail.ts'

export interface InvitationMail {
  to: string
  tenantId: string
  organization: string
  /** The person who invites; empty when they have no name. */
  inviter: string
  academyOnly: boolean
  link: string
}

// Names are written by people: on one line they cannot pass for another part of the mail.
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/** The mail that carries an invitation's link. */
export function invitationMail(invitation: InvitationMail): Mail {
  const organization = oneLine(invitation.organization)
  const inviter = oneLine(invitation.inviter) || 'Someone'
  const what = invitation.academyOnly ? `the Academy of ${organization}` : organization
  return {
    to: invitation.to,
    tenantId: invitation.tenantId,
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
