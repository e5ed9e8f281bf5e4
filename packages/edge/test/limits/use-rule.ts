import { pino } from 'pino'
import { RuleUseCounts } from '../../src/limits/rule-use-counts.ts'

// Uses a rule again and again, as a process of its own. Prints a line for each use that was counted, and `full` at the end.
// Arguments: the shared folder, the count of the limit, the number of attempts.
const [folder, count, attempts] = process.argv.slice(2) as [string, string, string]
const counts = new RuleUseCounts(folder, { now: Date.now, log: pino({ level: 'silent' }), isSynced: false })
const rule = { ruleId: 'rule', limit: { count: Number(count), window_s: 3600 } }
for (let attempt = 0; attempt < Number(attempts); attempt++) {
  const taken = counts.take('agent', [rule])
  // Waits for the write: if the reader is slow, lines would wait in this process, and a kill would lose them.
  if ('counted' in taken) await new Promise((resolve) => process.stdout.write('counted\n', resolve))
  await new Promise(setImmediate)
}
process.stdout.write('full\n')
