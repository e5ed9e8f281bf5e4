import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// A reader copies commands into a shell in the folder of Mandate. There, `npx mandate` works without any preparation.

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).filter((page) => page !== 'CHANGELOG.md')
const sources = globSync('packages/web/src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.test\.ts$/.test(file))
const commands = 'packages/web/src/words/commands.ts'

/** The lines of a page that a reader types into a shell. */
function typedLines(text: string): string[] {
  const typed: string[] = []
  let language: string | undefined
  for (const line of text.split('\n')) {
    const [fence, name] = /^\s*```(\w*)/.exec(line) ?? []
    if (fence !== undefined) language = language === undefined ? (name ?? '') : undefined
    else if (language === 'sh' || (language === 'console' && line.startsWith('$ '))) typed.push(line)
  }
  return typed
}

/** The commands of a line that do not begin with `npx mandate`. */
const otherForms = (line: string) => line.match(/npm run mandate|(?<!npx )(?<![\w/.-])mandate (?=[a-z-])/g) ?? []

test('every command of the documentation begins with npx mandate', () => {
  const faults = pages.flatMap((page) =>
    typedLines(read(page)).flatMap((line) => (otherForms(line).length > 0 ? [`${page}: ${line}`] : [])),
  )
  expect(faults).toEqual([])
  expect(pages.flatMap((page) => read(page).match(/npm run mandate/g) ?? [])).toEqual([])
})

test('every command of the dashboard is in one file, and begins with npx mandate', () => {
  const faults = sources.filter((file) => file !== commands && /npm run mandate|npx mandate/.test(read(file)))
  expect(faults).toEqual([])
  expect(read(commands)).toContain("'npx mandate'")
  expect(read(commands)).not.toContain('npm run')
})

test('other forms of a command are found', () => {
  expect(typedLines('```console\n$ mandate whoami\nmandate prints this\n```\nmandate in a sentence')).toEqual([
    '$ mandate whoami',
  ])
  expect(otherForms('$ mandate whoami')).toHaveLength(1)
  expect(otherForms('KEY=$(mandate keys create ci)')).toHaveLength(1)
  expect(otherForms('npm run mandate -- edge run')).toHaveLength(1)
  expect(otherForms('MANDATE_EDGE_KEY=ak_1 npx mandate edge run')).toEqual([])
})
