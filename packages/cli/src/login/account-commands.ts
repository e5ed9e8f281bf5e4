import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { connectInPerson } from '../connection/connect.ts'
import { Failure, usageFailure } from '../invocation/failure.ts'
import { invocation } from '../invocation/invocation.ts'
import { askSecret } from '../output/ask.ts'
import { note } from '../output/note.ts'

/** Adds `password change`, `email verify` and `email resend`, for the account of the signed-in person. */
export function addAccountCommands(program: Command): void {
  program
    .command('password')
    .description('the password of your account')
    .command('change')
    .description('change your password; your other sessions end')
    .option('--passwords-stdin', 'read the current and the new password from standard input, one per line')
    .action(changePassword)
  const email = program.command('email').description('the address of your account')
  email
    .command('verify')
    .description('verify your address with the token of the mailed link')
    .argument('<token>', 'the token of the mailed link, or the whole link')
    .action(verifyEmail)
  email.command('resend').description('mail the verification link again').action(resendVerification)
}

async function changePassword({ passwordsStdin = false }: { passwordsStdin?: boolean }): Promise<void> {
  const { client } = await connectInPerson()
  const [current, next] = passwordsStdin ? await passwordsFromStdin() : await askForPasswords()
  await client.call('changePassword', { body: { current_password: current, password: next } })
  note('The password was changed. Your other sessions have ended.')
}

async function verifyEmail(given: string): Promise<void> {
  const { client } = await connectInPerson()
  await client.call('verifyEmail', { body: { token: tokenOf(given, 'verify-email') } })
  note('The address is verified.')
}

async function resendVerification(): Promise<void> {
  const { message } = await (await connectInPerson()).client.call('requestVerification')
  note(message)
}

/** The pages that mailed links open. */
type LinkedPage = 'join' | 'verify-email' | 'sign-in'

/**
 * Returns the token of a mailed link, or a bare token. Mail programs and shells add signs around a link, such as < and >.
 * @throws Failure if the text has no token, or if the link is for another page, whose token would be lost on this one
 */
export function tokenOf(given: string, page: LinkedPage): string {
  const text = given.trim().replace(/^[<("'“]+|[>)"'”.,;]+$/g, '')
  const link = URL.parse(text)
  const opened = link?.pathname.replace(/\/+$/, '').split('/').at(-1)
  if (link && opened !== page)
    throw usageFailure(`this link opens the page ${opened || 'of the dashboard'}, not ${page}`, linkHint)
  const token = /^[\w-]+/.exec(link ? (link.searchParams.get('token') ?? '') : text)?.[0]
  if (token === undefined || (!link && token !== text)) throw usageFailure(`${given} is not a mailed link`, linkHint)
  return token
}

const linkHint = 'copy the whole link from the mail, in quotes'

async function askForPasswords(): Promise<[string, string]> {
  const hint = 'give the current and the new password on standard input with --passwords-stdin, one per line'
  const current = await askSecret('Current password: ', hint)
  const next = await askSecret('New password: ', hint)
  if ((await askSecret('New password again: ', hint)) !== next)
    throw new Failure('the new passwords differ', { exitCode: 2 })
  return [current, next]
}

async function passwordsFromStdin(): Promise<[string, string]> {
  const [current, next] = (await text(invocation().stdin)).split(/\r?\n/)
  if (!current || !next)
    throw usageFailure('standard input must contain the current and the new password, one per line')
  return [current, next]
}
