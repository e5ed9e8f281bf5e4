import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const source = join(import.meta.dirname, '../..')
const filesOf = (folder: string): string[] =>
  readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file))

/** `Name` itself, the parts of a foreign text, and two components that show hidden characters by themselves. */
const own = ['name', 'foreign-text', 'diff', 'tool-name'].map((part) => `ui/texts/${part}.tsx`)

it('every text that somebody chose is a Name, because a plain bdi does not show hidden characters', () => {
  const plain = filesOf('.')
    .filter((file) => file.endsWith('.tsx') && !own.includes(file))
    .filter((file) => readFileSync(join(source, file), 'utf8').includes('<bdi'))
  expect(plain).toEqual([])
})
