import { Failure } from '../invocation/failure.ts'
import { counted } from '../output/counted.ts'
import { dataFormat, type OutputOptions, printData } from '../output/format.ts'
import { note } from '../output/note.ts'
import { AllFailures } from './all-failures.ts'
import { type Decided, decideCalls } from './check-files.ts'
import { readPolicyFile } from './files/policy-file.ts'
import { isPolicyFile, testsOf } from './files/policy-paths.ts'
import { type Case, readCases } from './files/read-cases.ts'

export interface TestOptions extends OutputOptions {
  expected?: string
}

/**
 * Decides the calls of a file of expected decisions by a policy file, without a control plane.
 * @throws Failure that names each call that the policy decides in another way, with its line
 */
export async function testPolicy(path: string, { expected, ...options }: TestOptions): Promise<void> {
  const format = dataFormat(options)
  if (!isPolicyFile(path)) throw new Failure(`${path} is no policy file (*.yaml)`)
  const source = expected ?? testsOf(path)
  const failures = new AllFailures()
  const [file] = await failures.of([path], readPolicyFile)
  const [cases = []] = await failures.of([source], readCases)
  failures.throwAny()
  const decided = decideCalls(file!.content, cases)
  const results = cases.map((one, index) => resultOf(one, decided[index]!))
  if (format) printData(results, format, options)
  const failed = results.filter(({ passed }) => !passed)
  const calls = counted(results.length, 'call')
  if (failed.length === 0) return note(`${path}: ${calls} decided as expected`)
  const lines = failed.map((one) => `${source}:${one.line}: ${failureText(one)}`)
  throw new Failure([`${failed.length} of ${calls} decided in another way than expected`, ...lines].join('\n'))
}

interface Result {
  line: number
  name: string | null
  tool: string
  passed: boolean
  expected: { effect: Case['effect']; rule?: string | null }
  decided: Pick<Decided, 'effect' | 'rule' | 'reason' | 'undecided'>
}

function resultOf({ line, name, tool, effect, rule }: Case, decided: Decided): Result {
  const { effect: actual, rule: by, reason, undecided } = decided
  return {
    line,
    name: name ?? null,
    tool,
    passed: actual === effect && (rule === undefined || rule === by),
    expected: { effect, ...(rule !== undefined && { rule }) },
    decided: { effect: actual, rule: by, reason, undecided },
  }
}

function failureText({ name, tool, expected, decided }: Result): string {
  const by = (rule: string | null) => (rule === null ? 'the default effect' : `the rule “${rule}”`)
  const wanted = expected.rule === undefined ? expected.effect : `${expected.effect} by ${by(expected.rule)}`
  const why = decided.undecided ? `; ${decided.undecided} could not be decided` : ''
  return `${name ? `${name}: ` : ''}${tool}: expected ${wanted}, got ${decided.effect} by ${by(decided.rule)}${why}`
}
