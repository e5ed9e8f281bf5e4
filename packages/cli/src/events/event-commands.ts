import type { Command } from 'commander'
import { withOutput } from '../output/format.ts'
import type { TailOptions } from './tail-events.ts'

/** Adds `events tail`. */
export function addEventCommands(program: Command): void {
  const events = program.command('events').description('what happens, while it happens')
  withOutput(events.command('tail').description('print events as they happen, until you stop it'))
    .option('--types <types>', 'only events of these types, separated by commas, such as agent.changed,policy.saved')
    .option('--decisions <agent>', 'also print decisions: of this agent (its id or name), or `all`')
    .option('-n, --count <n>', 'stop after this many events')
    .action(async (options: TailOptions) => (await import('./tail-events.ts')).tailEvents(options))
}
