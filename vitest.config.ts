import { execFileSync } from 'node:child_process'
import { defineConfig } from 'vitest/config'
import { RunReport } from './test/run-report/run-report.ts'
import { SlowestFirst } from './test/slowest-first.ts'

const exclude = ['**/node_modules/**', 'test/identity-platform/**']
/** Tests wait for a condition for up to a minute. All property tests use one seed. */
const common = {
  setupFiles: ['test/wait-for-a-minute.ts', 'test/one-seed.ts'],
  expect: { poll: { timeout: 60_000 } },
  provide: { propertySeed: propertySeed(process.env.MANDATE_TEST_SEED) },
}

export default defineConfig({
  test: {
    maxWorkers: 3,
    tags: [
      {
        name: 'long',
        description:
          'Further cases of what other tests show, or slow ones. Left out of `npm test`; `npm run test:long` runs them.',
      },
    ],
    reporters: ['default', new RunReport()],
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'pure',
          isolate: false,
          testTimeout: 60_000,
          include: ['packages/**/*.test.ts', 'scripts/*.test.ts', 'test/{declared-answers,docs}/*.test.ts'],
          exclude: [...exclude, 'packages/**/*.{db,load}.test.ts'],
        },
      },
      {
        test: {
          ...common,
          name: 'database',
          // Files of one worker share the modules: loading the server for each file takes 40 % of the CPU time.
          isolate: false,
          include: ['packages/**/*.db.test.ts'],
          exclude,
          globalSetup: ['test/declared-answers/report-answers.ts', 'packages/server/src/testing/global-setup.ts'],
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
      {
        test: {
          ...common,
          name: 'acceptance',
          isolate: false,
          include: ['test/acceptance/**/*.test.ts'],
          exclude,
          globalSetup: ['test/declared-answers/report-answers.ts', 'test/acceptance/prepare-data.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        // Long, and alone on the machine: not part of `npm test`.
        test: {
          ...common,
          name: 'load',
          include: ['test/{concurrency,crash,chaos}/**/*.test.ts'],
          exclude,
          fileParallelism: false,
          maxWorkers: 1,
        },
      },
      {
        // Measures CPU time, so it is alone on the machine too.
        test: {
          ...common,
          name: 'load-database',
          include: ['packages/**/*.load.test.ts'],
          exclude,
          globalSetup: ['packages/server/src/testing/global-setup.ts'],
          fileParallelism: false,
          maxWorkers: 1,
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
    ],
  },
})

/**
 * The seed of all property tests: what `MANDATE_TEST_SEED` says, or a number from the commit. So a commit has the same inputs in each run,
 * and the next commit has others. `random` gives null: fast-check then chooses a new seed for each property.
 */
function propertySeed(setting: string | undefined): number | null {
  if (setting === 'random') return null
  if (setting !== undefined) return Number(setting)
  try {
    return Number.parseInt(
      execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).slice(0, 7),
      16,
    )
  } catch {
    return 1 // not a git folder
  }
}
