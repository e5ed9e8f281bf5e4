import { expect, test } from 'vitest'
import { counted } from './counted.ts'

test('a noun is plural except after 1', () => {
  const texts = [counted(0, 'report'), counted(1, 'API key'), counted(2, 'sealed entry'), counted(3, 'day')]
  expect(texts).toEqual(['0 reports', '1 API key', '2 sealed entries', '3 days'])
})
