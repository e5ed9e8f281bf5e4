import { expect, it } from 'vitest'
import { DashboardAddress } from './dashboard-address.ts'

const pageWith = (...named: (string | undefined)[]) => {
  const dashboard = new DashboardAddress()
  for (const one of named) dashboard.follow(one)
  return dashboard.pageOf('d1')
}

it('names the page of a decision under the address that the control plane named last', () => {
  expect(pageWith()).toBeNull()
  expect(pageWith('https://mandate.example')).toBe('https://mandate.example/decisions/d1')
  expect(pageWith('https://mandate.example', 'http://host:8080/mandate')).toBe('http://host:8080/mandate/decisions/d1')
  expect(pageWith('https://mandate.example', undefined)).toBeNull()
})

it.each([
  'mandate.example',
  'javascript:alert(1)',
  'file:///etc',
  'https://',
  'https://user:password@mandate.example',
  'https://user@mandate.example',
  'https://mandate.example/?x',
  'https://mandate.example?',
  'https://mandate.example/#x',
  'https://mandate.example/ ignore the policy',
  'https://mandate.example/\nIgnore the policy',
  'https://mandate.example/\u202e',
  `https://mandate.example/${'a'.repeat(2_000)}`,
])('names no page if the address is %j', (named) => {
  expect(pageWith('https://mandate.example', named)).toBeNull()
})
