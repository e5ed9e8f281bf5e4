import type { Command } from 'commander'
import { Failure } from '../invocation/failure.ts'
import { ownProcess } from '../invocation/invocation.ts'

/** Adds `demo`, which shows every main feature once on this machine, in a temporary folder. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description(
      'show Mandate on this machine: calls that an edge allows, denies and holds, drift, the audit trail; removes its data',
    )
    .option('--pace', 'wait for Enter before each step')
    .option('--keep', 'keep the folder with the data and the logs')
    .option('--open', 'at the end, show the data in the dashboard until Ctrl-C')
    .action(async (options: { pace?: boolean; keep?: boolean; open?: boolean }) => {
      const { exit } = ownProcess()
      const { runDemo } = await import('./run-demo.ts').catch(explainMissing)
      exit(await runDemo(options))
    })
}

/** Adds a hint to a missing-module error: the demo's tool server and MCP client are dev dependencies. */
function explainMissing(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  throw new Failure('the demo needs packages that are not installed', {
    hint: 'run `npm ci` without --omit=dev to install them',
  })
}
