import { type Command, Option } from 'commander'
import { withOutput } from '../output/format.ts'
import { withList } from '../output/show.ts'
import { withDecisionFilters } from './decision-filters.ts'
import { listDecisions } from './list-decisions.ts'
import { replayDecision } from './replay-decision.ts'
import { saveReceipt } from './save-receipt.ts'
import { showDecision } from './show-decision.ts'
import { showTimeline } from './show-timeline.ts'
import { showUsage } from './show-usage.ts'
import type { TailDecisionsOptions } from './tail-decisions.ts'
import type { VerifyReceiptOptions } from './verify-receipt-command.ts'

/** Adds `decisions …` and `usage`. `decisions verify` needs no control plane. */
export function addDecisionCommands(program: Command): void {
  const decisions = program.command('decisions').description('what agents did, as edges recorded it')
  withDecisionFilters(withList(decisions.command('list').description('list decisions, newest first')))
    .option('--approval <id>', 'only calls that used this approval or asked for it')
    .option('--session <id>', 'only calls of this session')
    .action(listDecisions)
  withOutput(decisions.command('show <id>').description('show a decision')).action(showDecision)
  withOutput(decisions.command('tail').description('print decisions as they arrive, until you stop it'))
    .option('--agent <agent>', 'only calls of this agent: its id or name')
    .option('-n, --count <n>', 'stop after this many lines')
    .action(async (options: TailDecisionsOptions) => (await import('./tail-decisions.ts')).tailDecisions(options))
  decisions
    .command('receipt <id>')
    .description('write the receipt of a signed decision, which decisions verify checks offline')
    .option('--file <file>', 'the output file; standard output by default')
    .action(saveReceipt)
  withOutput(decisions.command('verify <file>').description('verify a receipt offline (- reads standard input)'), [
    'json',
    'yaml',
  ])
    .requiredOption('--key <file or URL>', 'the service’s public key: a PEM, or the list at /api/v1/edge/signing-key')
    .option('--tenant <id>', 'the expected organization of the decision')
    .option('--decision <id>', 'the expected decision')
    .action(async (file: string, options: VerifyReceiptOptions) =>
      (await import('./verify-receipt-command.ts')).verifyReceiptCommand(file, options),
    )
  withOutput(
    decisions.command('replay <id>').description('let the recorded policy version decide the call again'),
  ).action(replayDecision)
  withDecisionFilters(withOutput(decisions.command('timeline').description('count decisions over time')))
    .addOption(new Option('--bucket <length>', 'the length of a bucket').choices(['minute', 'hour', 'day']))
    .addOption(
      new Option('--group-by <key>', 'what the counts are split by').choices([
        'effect',
        'agent',
        'tool',
        'rule',
        'policy',
      ]),
    )
    .action(showTimeline)
  withOutput(program.command('usage').description('count the calls that were governed'))
    .option('--from <date>', 'the first day in UTC, such as 2026-01-01; 29 days before --to by default')
    .option('--to <date>', 'the last day in UTC; today by default')
    .addOption(
      new Option('--group-by <key>', 'what the counts are split by').choices([
        'day',
        'agent',
        'policy',
        'tool',
        'environment',
      ]),
    )
    .action(showUsage)
}
