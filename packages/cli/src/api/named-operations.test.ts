import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endpoints } from '@mandate/contract/endpoints'
import { pageEndpoints } from '@mandate/contract/pages'
import { expect, test } from 'vitest'
import { operationsWithoutCommand } from './operations-without-command.ts'

const sources = fileURLToPath(new URL('..', import.meta.url))

/** Collects the operations that named commands call, from the source text of the commands. */
async function calledOperations(): Promise<Set<string>> {
  const names = await readdir(sources, { recursive: true })
  const isCommand = (name: string) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('demo/')
  const files = names.filter((name) => isCommand(name) && name !== 'api/operations-without-command.ts')
  const texts = await Promise.all(files.map((name) => readFile(join(sources, relative('', name)), 'utf8')))
  const words = texts.flatMap((text) => [...text.matchAll(/'(\w+)'/g)].map(([, word]) => word!))
  // The SDK's function `events` calls the operation.
  if (texts.some((text) => text.includes("from '@mandate/sdk/events'"))) words.push('streamEvents')
  return new Set(words.filter((word) => word in endpoints))
}

test('every operation has a named command, or is listed as an operation for `mandate api`', async () => {
  const called = await calledOperations()
  // Pages are for browsers, and a command would only print their text.
  const isPage = (operation: string) => operation in pageEndpoints
  const withoutCommand = Object.keys(endpoints).filter((operation) => !called.has(operation) && !isPage(operation))
  expect(withoutCommand.sort()).toEqual(Object.keys(operationsWithoutCommand).sort())
})

test('the list of operations without a named command does not grow', () => {
  expect(Object.keys(operationsWithoutCommand).length).toBeLessThanOrEqual(50)
  for (const reason of Object.values(operationsWithoutCommand)) expect(reason).toMatch(/^[A-Z].{20,}\.$/)
})
