import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GatheredBytes } from './gathered-bytes.ts'

test('property: what was gathered is the chunks one after the other, and is given once', () => {
  const gathered = new GatheredBytes()
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), (chunks) => {
      for (const chunk of chunks) gathered.add(chunk)
      const all = Buffer.concat(chunks)
      expect([gathered.length, gathered.take(), gathered.length]).toEqual([all.length, all, 0])
    }),
  )
})
