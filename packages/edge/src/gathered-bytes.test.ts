import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GatheredBytes } from './gathered-bytes.ts'

test('property: returns the chunks joined in order, and returns them once', () => {
  const gathered = new GatheredBytes()
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), (chunks) => {
      for (const chunk of chunks) gathered.add(chunk)
      const all = Buffer.concat(chunks)
      expect([gathered.length, gathered.take(), gathered.length]).toEqual([all.length, all, 0])
    }),
  )
})
