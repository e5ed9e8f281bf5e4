import { type Command, Option } from 'commander'
import type { Column } from './table.ts'

/** Adds `--status` to a command that lists; `all` shows every one. */
export function withStatus(command: Command, statuses: readonly string[], usual: string): Command {
  return command.addOption(new Option('--status <status>').choices([...statuses, 'all']).default(usual))
}

/** The status as a list's query has it. */
export function statusQuery<S extends string>(status: S | 'all'): { status?: S } {
  return status === 'all' ? {} : { status }
}

/** The column of a thing's status, colored by what people decided of it. */
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
