import type { SuiteTest } from './collect-tests.ts'
import type { PendingRule, Rule, Section } from './rule.ts'

export interface HeldRule extends Rule {
  tests: SuiteTest[]
}

export interface HeldSection {
  title: string
  rules: HeldRule[]
}

/** Finds the tests of every rule. Reports a fault for each rule without a test, and each name that does not match exactly one test. */
export function matchRules(sections: readonly Section[], pending: readonly PendingRule[], tests: readonly SuiteTest[]) {
  const faults: string[] = []
  const seen = new Set<string>()
  for (const { id } of [...sections.flatMap(({ rules }) => rules), ...pending]) {
    if (seen.has(id)) faults.push(`${id}: two rules have this id`)
    seen.add(id)
  }
  const held = sections.map(({ title, rules }): HeldSection => {
    return { title, rules: rules.map((rule) => ({ ...rule, tests: testsOf(rule, tests, faults) })) }
  })
  return { held, faults }
}

function testsOf({ id, heldBy }: Rule, tests: readonly SuiteTest[], faults: string[]): SuiteTest[] {
  if (heldBy.length === 0) faults.push(`${id}: the rule names no test`)
  const named = heldBy.flatMap((name) => {
    const found = tests.filter(({ address }) => address.includes(name))
    const [only] = found.length > 1 ? found.filter(({ address }) => address.endsWith(` > ${name}`)) : found
    if (!only) {
      faults.push(`${id}: ${found.length} tests match “${name}”, expected 1`)
      return []
    }
    return [only]
  })
  if (named.length > 0 && !named.some(({ isInNpmTest }) => isInNpmTest))
    faults.push(`${id}: no test of \`npm test\` holds it`)
  return named
}
