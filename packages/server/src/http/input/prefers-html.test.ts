import { expect, it } from 'vitest'
import { prefersHtml } from './prefers-html.ts'

it.each([
  'text/html',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'application/json;q=0.5, Text/HTML;q=0.9',
  'text/*',
])('a page for Accept: %s', (accept) => {
  expect(prefersHtml(accept)).toBe(true)
})

it.each([
  '',
  '*/*',
  'application/json',
  'application/json, text/html',
  'text/html;q=0',
  'text/html;q=x',
  ',;=',
  'image/png',
])('JSON for Accept: %j', (accept) => {
  expect(prefersHtml(accept)).toBe(false)
})
