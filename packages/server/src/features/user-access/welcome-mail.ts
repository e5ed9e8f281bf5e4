import type { Role } from '@mandate/contract/words/roles'
import { nameInMail } from '../../mail/name-in-mail.ts'
import type { Mail } from '../../mail/send-mail.ts'

/**
 * Returns the mail to a learner (a user of the training product only) who has become a full user. `publicUrl` is the URL of
 * Mandate.
 */
export function welcomeMail(
  user: { email: string; tenant_id: string },
  organization: string,
  role: Role,
  publicUrl: string,
): Mail {
  const name = nameInMail(organization, 'your organization')
  return {
    to: user.email,
    tenantId: user.tenant_id,
    kind: 'notice',
    subject: `Welcome to ${name}`,
    text: [`You now have platform access to ${name} on Mandate, as ${role}.`, 'Sign in as before:', publicUrl].join(
      '\n\n',
    ),
  }
}
