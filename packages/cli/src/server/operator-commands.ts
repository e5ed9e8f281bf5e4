import { type Command, InvalidArgumentError } from 'commander'
import { ownProcess } from '../invocation/invocation.ts'
import { print } from '../output/print.ts'

/** Adds `operator …`, which works directly on the database instead of the tenants' API. */
export function addOperatorCommands(program: Command): void {
  const operator = program
    .command('operator')
    .description('work directly on the database; the server may run or be stopped')
  operator
    .command('set-plan <tenant_id> <plan>')
    .description('set a tenant’s plan; takes effect at the next request')
    .option('--max-users <n>', 'a user limit that replaces the plan’s limit', wholeNumber)
    .action(async (tenantId: string, plan: string, { maxUsers }: { maxUsers?: number }) => {
      ownProcess()
      const { setPlan } = await import('@mandate/server/commands/set-plan')
      print(JSON.stringify(await setPlan(tenantId, plan, maxUsers ?? null)))
    })
  operator
    .command('discover <tenant_id>')
    .description('create an agent as if it was discovered in a connected platform')
    .requiredOption('--source <source>', 'github, salesforce, m365 or snowflake')
    .requiredOption('--name <name>', 'the agent’s name')
    .action(async (tenantId: string, { source, name }: { source: string; name: string }) => {
      ownProcess()
      const { discover } = await import('@mandate/server/commands/discover')
      print(JSON.stringify(await discover(tenantId, source, name)))
    })
  operator
    .command('rotate-signing-key')
    .description('create a new signing key, signed by the current key; the server uses it after its next start')
    .action(async () => {
      ownProcess()
      const { rotateSigningKey } = await import('@mandate/server/commands/rotate-signing-key')
      print(JSON.stringify(await rotateSigningKey()))
    })
  operator
    .command('reseal-secrets')
    .description('encrypt platform secrets and second factors again with the current vault key')
    .action(async () => {
      ownProcess()
      const { resealSecrets } = await import('@mandate/server/commands/reseal-secrets')
      print(JSON.stringify(await resealSecrets()))
    })
  operator
    .command('fault <tenant_id> <name>')
    .description('make a component fail for a tenant; only with MANDATE_FAULTS=on')
    .option('--off', 'stop the failure')
    .action(async (tenantId: string, name: string, { off = false }: { off?: boolean }) => {
      ownProcess()
      const { setFault } = await import('@mandate/server/commands/set-fault')
      print(JSON.stringify(await setFault(tenantId, name, !off)))
    })
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1)
    throw new InvalidArgumentError('The value must be a whole number of at least 1.')
  return Number(text)
}
