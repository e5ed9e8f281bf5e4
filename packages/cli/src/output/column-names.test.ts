import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const sources = join(import.meta.dirname, '..')
/** A column of a table whose value is one field of the row, as it is or as a time. */
const plainColumn = /title: '([A-Z][A-Z _()]*)',\s*value: \(\{ (\w+) \}[^=]*\) => (?:minute\()?\2\b\)?(?= |,|\n)/g

test('a column that shows a field has the name of the field, so that --query takes it', async () => {
  const names = await readdir(sources, { recursive: true })
  const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const texts = await Promise.all(files.map((name) => readFile(join(sources, name), 'utf8')))
  const columns = texts.flatMap((text) => [...text.matchAll(plainColumn)].map(([, title, field]) => [title, field]))
  expect(columns.length).toBeGreaterThan(80)
  expect(columns.filter(([title, field]) => title?.replace(/ \(UTC\)$/, '') !== field?.toUpperCase())).toEqual([])
})
