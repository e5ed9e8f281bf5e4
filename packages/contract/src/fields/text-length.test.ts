import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isLonger, isShorter } from './text-length.ts'

it('counts code points, for texts of one and of two code units each', () => {
  const anyText = fc.string({ unit: fc.constantFrom('a', 'é', '東', '😀'), maxLength: 12 })
  fc.assert(
    fc.property(anyText, fc.nat(14), (text, limit) => {
      const length = [...text].length
      expect(isLonger(text, limit)).toBe(length > limit)
      expect(isShorter(text, limit)).toBe(length < limit)
    }),
  )
})
