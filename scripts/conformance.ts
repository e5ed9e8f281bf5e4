import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { collectTests } from '../test/conformance/collect-tests.ts'
import { matchRules } from '../test/conformance/match-rules.ts'
import { renderDocument } from '../test/conformance/render-document.ts'
import { notYetHeld } from '../test/conformance/rules/not-yet-held.ts'
import { sections } from '../test/conformance/sections.ts'

// Writes docs/conformance.md. With `--check`, writes nothing and fails if the committed file is out of date.

const file = fileURLToPath(new URL('../docs/conformance.md', import.meta.url))
const { held, faults } = matchRules(sections, notYetHeld, await collectTests())
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n${faults.length} errors; docs/conformance.md was not written\n`)
  process.exitCode = 1
} else {
  const text = renderDocument(held, notYetHeld)
  const rules = held.reduce((sum, section) => sum + section.rules.length, 0)
  process.stdout.write(`${rules} rules have tests, ${notYetHeld.length} do not have tests yet\n`)
  if (!process.argv.includes('--check')) await writeFile(file, text)
  else if ((await readFile(file, 'utf8').catch(() => null)) !== text) {
    process.stderr.write('docs/conformance.md is not up to date: run `npm run conformance` and commit it\n')
    process.exitCode = 1
  }
}
