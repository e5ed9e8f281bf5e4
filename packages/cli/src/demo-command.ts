import type { Command } from 'commander'
import { Failure } from './failure.ts'

/** `demo`: everything once, on this machine, in a folder that goes when it is over. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description(
      'show it on this machine: calls allowed, denied and held by an edge, drift, the audit trail; leaves nothing behind',
    )
    .option('--pace', 'wait for Enter before each step')
    .option('--keep', 'keep the folder with the data and the logs')
    .action(async (options: { pace?: boolean; keep?: boolean }) => {
      const { runDemo } = await import('./demo/run-demo.ts').catch(explainMissing)
      process.exit(await runDemo(options))
    })
}

/** The tool server and the agents' client are no part of the product. */
function explainMissing(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  throw new Failure('packages that only the demo needs are not installed', {
    hint: 'npm ci, without --omit=dev, installs them',
  })
}
