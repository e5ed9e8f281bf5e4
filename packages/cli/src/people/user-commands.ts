import { Argument, type Command, Option } from 'commander'
import { withYes } from '../output/confirm.ts'
import { withOutput } from '../output/format.ts'
import { withList } from '../output/show.ts'
import { inviteLearner, inviteUser } from './invite-user.ts'
import { previewRemoval, removeUser } from './remove-user.ts'
import { listUsers, showUser } from './show-user.ts'
import { giveSeat, resetMfa, revokeUserSessions, setAccessScope, updateUser } from './update-user.ts'
import { grantAgent, listGrants, revokeGrant } from './user-agents.ts'
import { addEnvironment, listUserEnvironments, removeEnvironment } from './user-environments.ts'

const roles = ['viewer', 'member', 'manager', 'owner']

/** Adds `users …`. Commands take a user's or an invitation's address, id or name. */
export function addUserCommands(program: Command): void {
  const users = program.command('users').description('people: invite them, and set what they may see and do')
  withList(users.command('list').description('list users and invitations, newest first'))
    .option('--search <text>', 'part of the name or address')
    .addOption(new Option('--role <role>').choices(roles))
    .addOption(new Option('--status <status>', 'invitations are pending').choices(['active', 'pending']))
    .addOption(new Option('--learners', 'only users of the training product').conflicts('withoutMfa'))
    .option('--without-mfa', 'only users with a seat who have no second factor and no sign-in provider')
    .action(listUsers)
  withOutput(users.command('show <user>').description('show a user')).action(showUser)
  withOutput(users.command('invite <address>').description('invite a person by mail'))
    .addOption(new Option('--role <role>').choices(roles).makeOptionMandatory())
    .option('--read-only', 'the person sees what the role sees, and cannot make changes; only for owners')
    .option('--no-read-only', 'remove this from a pending invitation')
    .action(inviteUser)
  withOutput(
    users.command('invite-learner <address>').description('invite a person to the training product only'),
  ).action(inviteLearner)
  withOutput(users.command('update <user>').description('change the name, the role or read_only of a user'))
    .option('--name <name>')
    .addOption(new Option('--role <role>').choices(roles))
    .option('--read-only', 'the user sees what the role sees, and cannot make changes; only for owners')
    .option('--no-read-only', 'let the user make changes again')
    .action(updateUser)
  withOutput(users.command('give-seat <user>').description('give a learner a seat'))
    .addOption(new Option('--role <role>').choices(roles.slice(0, 3)).makeOptionMandatory())
    .action(giveSeat)
  withOutput(users.command('reset-mfa <user>').description('remove a user’s second factors')).action(resetMfa)
  users
    .command('revoke-sessions <user>')
    .description('sign a user out everywhere; their API keys keep working')
    .action(revokeUserSessions)
  withOutput(
    users.command('removal-preview <user>').description('show what stops working if a user is removed'),
  ).action(previewRemoval)
  withYes(users.command('remove <user>').description('remove a user, or withdraw an invitation')).action(removeUser)
  addAccess(users)
}

function addAccess(users: Command): void {
  withOutput(
    users.command('set-access-scope <user>').description('let a user see the whole organization, or only a part'),
  )
    .addArgument(new Argument('<scope>').choices(['all', 'scoped']))
    .action(setAccessScope)
  withOutput(users.command('grants <user>').description('list the agents granted to a user')).action(listGrants)
  withOutput(users.command('grant <user> <agent>').description('let a scoped user see an agent')).action(grantAgent)
  users.command('revoke-grant <user> <agent>').description('revoke a grant').action(revokeGrant)
  withOutput(
    users.command('environments <user>').description('list the environments that a user has access to'),
  ).action(listUserEnvironments)
  withOutput(
    users.command('add-environment <user> <environment>').description('give a scoped user access to an environment'),
  ).action(addEnvironment)
  users
    .command('remove-environment <user> <environment>')
    .description('revoke access to an environment')
    .action(removeEnvironment)
}
