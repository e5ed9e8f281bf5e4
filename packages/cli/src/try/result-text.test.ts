import { expect, it } from 'vitest'
import { resultText } from './result-text.ts'

it('shows the texts of a result, and names the other parts', () => {
  const content = [
    { type: 'text', text: 'a' },
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    { type: 'resource_link', uri: 'file:///a', name: 'a' },
    { type: 'resource', resource: { uri: 'file:///b', text: 'b' } },
    { type: 'resource', resource: { uri: 'file:///c', mimeType: 'application/pdf', blob: 'AAAA' } },
    null,
    7,
    { type: 3 },
  ]
  expect(resultText({ content }).split('\n')).toEqual([
    'a',
    '[image, image/png]',
    '[resource_link, file:///a]',
    'b',
    '[resource, application/pdf, file:///c]',
    '[a part of no known type]',
    '[a part of no known type]',
    '[a part of no known type]',
  ])
})

it('shows structured content if there is no other content', () => {
  expect(resultText({ content: [], structuredContent: { a: 1 } })).toBe('{\n  "a": 1\n}')
  expect(resultText({ content: 'x' })).toBe('')
})
