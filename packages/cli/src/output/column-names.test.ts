import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const sources = join(import.meta.dirname, '..')
/** A column of a table whose value is one field of the row, as it is, as a time, as a name, or as yes or no. */
const plainColumns = [
  /title: '([A-Z][A-Z _()]*)',\s*value: \(\{ (\w+) \}[^=]*\) => (?:minute\()?\2\b\)?(?= |,|\n)/g,
  /title: '([A-Z][A-Z _()]*)',\s*value: \(\{ (\w+_by) \}[^=]*\) => \w+\(\2\)/g,
  /title: '([A-Z][A-Z _()]*)',\s*value: \((\w+)\) => \(\2\.(?<field>\w+) \? 'yes' : 'no'\)/g,
]
const anyColumn = /title: '([A-Z][A-Z_ ]*[A-Z])(?: \(UTC\))?'/g

test('a column that shows a field has the name of the field, so that --query takes it', async () => {
  const names = await readdir(sources, { recursive: true })
  const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const texts = await Promise.all(files.map((name) => readFile(join(sources, name), 'utf8')))
  const all = (pattern: RegExp) => texts.flatMap((text) => [...text.matchAll(pattern)])
  const columns = plainColumns.flatMap(all).map(({ 1: title, 2: field, groups }) => [title, groups?.field ?? field])
  expect(columns.length).toBeGreaterThan(80)
  expect(columns.filter(([title, field]) => title?.replace(/ \(UTC\)$/, '') !== field?.toUpperCase())).toEqual([])
  expect(all(anyColumn).filter(([, title]) => title?.includes(' '))).toEqual([])
})
