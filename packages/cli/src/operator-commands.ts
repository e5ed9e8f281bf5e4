import { type Command, InvalidArgumentError } from 'commander'
import { print } from './print.ts'

/** What an operator does past the tenants' API, on the database itself. */
export function addOperatorCommands(program: Command): void {
  const operator = program.command('operator').description('act on the database directly, while the server runs or not')
  operator
    .command('set-plan <tenant_id> <plan>')
    .description('put a tenant on a plan; counts from the next request')
    .option('--max-users <n>', 'another user limit than the plan’s', wholeNumber)
    .action(async (tenantId: string, plan: string, { maxUsers }: { maxUsers?: number }) => {
      const { setPlan } = await import('@mandate/server/commands/set-plan')
      print(JSON.stringify(await setPlan(tenantId, plan, maxUsers ?? null)))
    })
  operator
    .command('discover <tenant_id>')
    .description('make an agent as discovered in a connected platform')
    .requiredOption('--source <source>', 'github, salesforce, m365 or snowflake')
    .requiredOption('--name <name>', 'its name')
    .action(async (tenantId: string, { source, name }: { source: string; name: string }) => {
      const { discover } = await import('@mandate/server/commands/discover')
      print(JSON.stringify(await discover(tenantId, source, name)))
    })
  operator
    .command('rotate-signing-key')
    .description('make a new signing key, which the present one vouches for; it signs from the next start on')
    .action(async () => {
      const { rotateSigningKey } = await import('@mandate/server/commands/rotate-signing-key')
      print(JSON.stringify(await rotateSigningKey()))
    })
  operator
    .command('reseal-secrets')
    .description('seal platform secrets and second factors under the vault key in force')
    .action(async () => {
      const { resealSecrets } = await import('@mandate/server/commands/reseal-secrets')
      print(JSON.stringify(await resealSecrets()))
    })
  operator
    .command('fault <tenant_id> <name>')
    .description('make a part fail for a tenant; only with MANDATE_FAULTS=on')
    .option('--off', 'let it work again')
    .action(async (tenantId: string, name: string, { off = false }: { off?: boolean }) => {
      const { setFault } = await import('@mandate/server/commands/set-fault')
      print(JSON.stringify(await setFault(tenantId, name, !off)))
    })
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1) throw new InvalidArgumentError('must be a whole number from 1.')
  return Number(text)
}
