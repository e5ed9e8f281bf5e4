import { createClient } from '@mandate/sdk/client'
import type { Command } from 'commander'
import { noteRetry } from '../connection/connect.ts'
import { tokenOf } from '../login/account-commands.ts'
import { controlPlaneOf } from '../login/join.ts'
import { withAccept } from '../login/login-commands.ts'
import { type OutputOptions, withOutput } from '../output/format.ts'
import { roleText } from '../output/role-text.ts'
import { showOne } from '../output/show.ts'
import { minute } from '../output/table.ts'

/** Adds `invitations preview` and `invitations accept`, for a person who was invited and is not signed in. */
export function addInvitationCommands(program: Command): void {
  const invitations = program.command('invitations').description('an invitation that was mailed to you')
  withOutput(invitations.command('preview').description('show what an invitation offers, without accepting it'))
    .argument('<link>', 'the mailed link, or its token')
    .action(previewInvitation)
  withAccept(invitations.command('accept').description('accept an invitation, and keep the session'))
}

async function previewInvitation(given: string, options: OutputOptions): Promise<void> {
  const token = tokenOf(given, 'join')
  const client = createClient({ url: await controlPlaneOf(given), onRetry: noteRetry })
  const invitation = await client.call('previewInvitation', { body: { token } })
  showOne(invitation, options, [
    { title: 'Organization', value: ({ organization }) => organization },
    { title: 'Role', value: roleText },
    { title: 'Invited by', value: ({ invited_by }) => invited_by },
    { title: 'Address', value: ({ email }) => email },
    { title: 'Expires', value: ({ expires_at }) => `${minute(expires_at)} UTC` },
  ])
}
