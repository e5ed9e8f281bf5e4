import type { Schema } from '@mandate/sdk/operation'
import { Argument, type Command } from 'commander'
import { connect } from '../connection/connect.ts'
import { counted } from '../output/counted.ts'
import { type OutputOptions, withOutput } from '../output/format.ts'
import { showDone, showOne } from '../output/show.ts'
import { minute } from '../output/table.ts'

type Gate = Schema<'Tenant'>['governance_gate']
type Retention = 30 | 90 | 400 | 800

/** Adds `organization …` and `gate …`, which show and change the organization's settings. */
export function addOrganizationCommands(program: Command): void {
  const organization = program.command('organization').description('the organization, its name and its plan')
  withOutput(organization.command('show').description('show the organization')).action(showOrganization)
  withOutput(organization.command('rename <name>').description('rename the organization')).action(renameOrganization)
  withOutput(organization.command('retention').description('set for how many days decisions are kept'))
    .addArgument(new Argument('<days>').choices(['30', '90', '400', '800']))
    .action(setRetention)
  const gate = program.command('gate').description('the governance gate, which decides how a new agent starts')
  withOutput(gate.command('show').description('show the governance gate')).action(showGate)
  withOutput(gate.command('set').description('set the governance gate'))
    .addArgument(new Argument('<gate>').choices(['off', 'alert', 'enforce']))
    .action(setGate)
}

async function showOrganization(options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const { tenant } = await client.call('getOwnTenant')
  showOne(tenant, options, [
    { title: 'Name', value: ({ name }) => name },
    { title: 'Plan', value: ({ plan }) => plan },
    { title: 'Governance gate', value: ({ governance_gate }) => governance_gate },
    { title: 'Decisions kept', value: ({ decision_retention_days: days }) => `${days} days` },
    {
      title: 'Seats',
      value: ({ seats }) =>
        seats && `${seats.used} of ${seats.max ?? 'any number'}, ${counted(seats.invited, 'by invitation')}`,
    },
    { title: 'SAML', value: (one) => (one.saml_enabled ? `for ${one.saml_email_domain}` : 'off') },
    { title: 'Created', value: ({ created_at }) => `${minute(created_at)} UTC` },
    { title: 'Id', value: ({ id }) => id },
  ])
}

async function renameOrganization(name: string, output: OutputOptions): Promise<void> {
  const { client } = await connect()
  const { tenant } = await client.call('getOwnTenant')
  const renamed = await client.call('updateTenant', { path: { id: tenant.id }, body: { name } })
  showDone(`${tenant.name} is now ${renamed.name}.`, renamed, output)
}

async function setRetention(days: string, output: OutputOptions): Promise<void> {
  const { client } = await connect()
  const { tenant } = await client.call('getOwnTenant')
  const decision_retention_days = Number(days) as Retention
  const changed = await client.call('updateTenant', { path: { id: tenant.id }, body: { decision_retention_days } })
  showDone(`Decisions that arrive from now on are kept for ${days} days.`, changed, output)
}

async function showGate(options: OutputOptions): Promise<void> {
  const { client } = await connect()
  showOne(await client.call('getGovernanceGate'), options, [{ title: 'Governance gate', value: ({ gate }) => gate }])
}

async function setGate(gate: Gate, output: OutputOptions): Promise<void> {
  const { client } = await connect()
  const answer = await client.call('setGovernanceGate', { body: { gate } })
  showDone(`The governance gate is ${answer.gate}.`, answer, output)
}
