import { type Command, Option } from 'commander'
import type { Column } from './table.ts'

/** Adds `--status` to a list command. `all` shows every status. */
export function withStatus(command: Command, statuses: readonly string[], usual: string): Command {
  return command.addOption(new Option('--status <status>').choices([...statuses, 'all']).default(usual))
}

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
