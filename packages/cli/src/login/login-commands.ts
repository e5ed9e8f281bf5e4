import type { Command } from 'commander'
import { connect } from '../connection/connect.ts'
import { dataFormat, type OutputOptions, withOutput } from '../output/format.ts'
import { note } from '../output/note.ts'
import { roleText } from '../output/role-text.ts'
import { showOne } from '../output/show.ts'
import type { AcceptOptions, RegisterOptions } from './join.ts'
import { type LoginOptions, login } from './login.ts'
import { logout } from './logout.ts'

/** Adds `register`, `join`, `login`, `logout` and `whoami`. */
export function addLoginCommands(program: Command): void {
  program
    .command('register')
    .description('create an organization, become its owner, and keep the session')
    .option('--url <address>', 'the control plane; MANDATE_URL or http://127.0.0.1:8080 by default')
    .option('--email <address>', 'your address; asked for by default')
    .option('--organization <name>', 'the name of the organization; asked for by default')
    .option('--name <name>', 'your name')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (options: RegisterOptions) => (await import('./join.ts')).register(options))
  withAccept(program.command('join').description('accept an invitation, as `invitations accept` does'))
  program
    .command('login')
    .description('sign in with address and password, and keep the session')
    .option('--url <address>', 'the control plane; MANDATE_URL or http://127.0.0.1:8080 by default')
    .option('--email <address>', 'your address; asked for by default')
    .option('--password-stdin', 'read the password from standard input')
    .option('--otp <code>', 'one-time password; asked for if needed')
    .option('--mail-token <token>', 'the link that was mailed after too many attempts, or its token')
    .action((options: LoginOptions) => login(options))
  program
    .command('logout')
    .description('end the session and remove it from this machine')
    .action(() => logout())
  withOutput(program.command('whoami').description('show the current user, control plane and credential')).action(
    whoami,
  )
}

/** Adds the argument and the options of a command that accepts an invitation. */
export function withAccept(command: Command): Command {
  return command
    .argument('<link>', 'the mailed link, or its token')
    .option('--name <name>', 'your name')
    .option('--otp <code>', 'one-time password, if your account has a second factor')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (link: string, options: AcceptOptions) => (await import('./join.ts')).acceptInvitation(link, options))
}

async function whoami(options: OutputOptions): Promise<void> {
  const { client, url } = await connect()
  const { user, tenant, via } = await client.call('getSession')
  if (via.type === 'api_key' && via.scopes.length === 0 && dataFormat(options) === undefined)
    note('The key is not limited by scopes.')
  showOne({ url, user, tenant, via }, options, [
    { title: 'Control plane', value: () => url },
    { title: 'Organization', value: () => `${tenant.name} (${tenant.plan})` },
    { title: 'User', value: () => `${user.email} (${roleText(user)}, access ${user.access_scope})` },
    { title: 'Through', value: () => (via.type === 'session' ? 'session' : `API key ${via.prefix}…`) },
    { title: 'Environment', value: () => (via.type === 'session' ? 'every' : (via.environment?.slug ?? 'every')) },
    { title: 'Scopes', value: () => (via.type === 'session' ? 'all' : via.scopes.join(' ') || 'all') },
  ])
}
