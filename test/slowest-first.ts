import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest. They start first, so that no worker waits for one of them at the end of a run. */
const slowest = [
  'sweeps/access-matrix.db.test.ts',
  'acceptance/docs/commands.test.ts',
  'sweeps/bad-input.db.test.ts',
  'acceptance/start-and-stop.test.ts',
  'acceptance/settings.test.ts',
  'acceptance/edge/content/content.test.ts',
  'acceptance/edge/tools/credentials.test.ts',
  'acceptance/edge/profiles/carrying.test.ts',
  'acceptance/edge/faults/network-faults.test.ts',
  'sweeps/may/may.db.test.ts',
  'acceptance/demo.test.ts',
  'acceptance/drain.test.ts',
]

const isSlow = ({ moduleId }: TestSpecification) => slowest.some((file) => moduleId.endsWith(file))

/** Starts the slowest files first, and the others as vitest orders them. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}
