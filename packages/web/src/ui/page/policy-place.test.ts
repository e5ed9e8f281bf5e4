import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { policyPlace } from './policy-place.ts'

const source = join(import.meta.dirname, '../..')

it('a link to a policy says which version it means, so no other file has the address of a policy', () => {
  // A sentence of the audit trail gets its version from the details of the entry.
  const own = [join('ui', 'page', 'policy-place.ts'), join('pages', 'audit', 'entry-sentence.ts')]
  const others = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.') && !own.includes(file))
    // The content of a policy has versions of its own.
    .filter((file) => !file.startsWith(join('pages', 'policy')))
    .filter((file) => readFileSync(join(source, file), 'utf8').includes('/policies/${'))
  expect(others).toEqual([])
})

it('the address has the version and the rule', () => {
  expect(policyPlace('p', 7, 'r')).toEqual({ to: '/policies/p', search: { tab: 'versions', version: '7', rule: 'r' } })
  expect(policyPlace('p', 'current')).toEqual({ to: '/policies/p', search: {} })
})
