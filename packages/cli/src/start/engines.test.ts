import { readFileSync } from 'node:fs'
import { satisfies } from 'semver'
import { expect, test } from 'vitest'

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8'))

interface Locked {
  version?: string
  dev?: boolean
  optional?: boolean
  engines?: { node?: string }
}

const packages: [string, Locked][] = Object.entries(read('package-lock.json').packages)
const bundled: string = read('packages/cli/package.json').dependencies.node

test('npm installs the program’s Node without dev dependencies, and every dependency supports its version', () => {
  const node = packages.find(([path]) => path === 'node_modules/node')?.[1]
  expect(node).toMatchObject({ version: bundled })
  expect(node?.dev ?? false).toBe(false)
  const unsupported = packages.flatMap(([path, { engines }]) =>
    engines?.node === undefined || satisfies(bundled, engines.node) ? [] : [`${path} ${engines.node}`],
  )
  expect(unsupported).toEqual([])
})

test('the packages with a start command declare the Node version that can install them', () => {
  for (const path of ['package.json', 'packages/cli/package.json']) expect(read(path).engines).toEqual({ node: '>=20' })
})
