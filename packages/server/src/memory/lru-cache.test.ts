import { expect, it } from 'vitest'
import { createLruCache } from './lru-cache.ts'

it('drops the entry that was not used for the longest time', () => {
  const cache = createLruCache<string>(2)
  cache.set('a', 'first')
  cache.set('b', 'second')
  cache.get('a')
  cache.set('c', 'third')
  expect([...cache.keys()].sort()).toEqual(['a', 'c'])
})
