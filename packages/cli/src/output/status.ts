import { type Command, Option } from 'commander'
import type { Column } from './table.ts'

/** Adds `--status` to a list command. `all` shows every status. */
export function withStatus(command: Command, statuses: readonly string[], usual: string): Command {
  return command.addOption(new Option('--status <status>').choices([...statuses, 'all']).default(usual))
}

/** Adds `--status` to a list command whose rows may have one of several statuses. `all` shows every status. */
export function withStatuses(command: Command, statuses: readonly string[], usual: string): Command {
  const option = new Option('--status <status...>', 'one or more of them').choices([...statuses, 'all'])
  return command.addOption(option.default([usual], usual))
}

/** Query parameters for several statuses. `all` needs no parameter. */
export function statusesQuery<S extends string>(statuses: readonly (S | 'all')[]): { status?: S[] } {
  return statuses.includes('all') ? {} : { status: statuses.filter((one) => one !== 'all') as S[] }
}

/** The rows that a list without rows would have had: `No pending or approved calls.` */
export const noneOf = (statuses: readonly string[], rows: string): string =>
  statuses.includes('all') ? `No ${rows}.` : `No ${statuses.join(' or ')} ${rows}.`

/** Query parameters for a status. `all` needs no parameter. */
export function statusQuery<S extends string>(status: S | 'all'): { status?: S } {
  return status === 'all' ? {} : { status }
}

/** A status column. Its color shows what was decided. */
export function statusColumn<T extends { status: string }>(): Column<T> {
  return { title: 'STATUS', value: ({ status }) => status, color: ({ status }) => colors[status] }
}

const colors: Record<string, 'red' | 'green' | 'yellow'> = {
  pending: 'yellow',
  approved: 'green',
  attested: 'green',
  consumed: 'green',
  rejected: 'red',
}
