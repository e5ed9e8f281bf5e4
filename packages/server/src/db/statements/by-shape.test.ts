import { describe, expect, it } from 'vitest'
import { byShape } from './by-shape.ts'

const fields = { sight: ['all', 'bound'], size: [1, 10], isLater: [false, true] } as const

describe('byShape', () => {
  it('builds each shape once, and returns each result only for its own shape', () => {
    const built: object[] = []
    const of = byShape(fields, (shape) => {
      built.push(shape)
      return shape
    })
    const shapes = fields.sight.flatMap((sight) =>
      fields.size.flatMap((size) => fields.isLater.map((isLater) => ({ sight, size, isLater }))),
    )
    for (const shape of [...shapes, ...shapes]) expect(of(shape)).toEqual(shape)
    expect(built).toEqual(shapes)
  })

  it('passes only the listed fields to the builder', () => {
    const of = byShape(fields, (shape) => Object.keys(shape))
    const wider = { sight: 'all', size: 1, isLater: false, userId: 'someone' } as const
    expect(of(wider)).toEqual(['sight', 'size', 'isLater'])
  })

  it('refuses a value that is not listed', () => {
    const of = byShape(fields, (shape) => shape)
    // @ts-expect-error: a sight that is not listed
    expect(() => of({ sight: 'other', size: 1, isLater: false })).toThrow('the field sight must be one of all, bound')
    // @ts-expect-error: a field without a value
    expect(() => of({ sight: 'all', size: 1 })).toThrow('the field isLater must be one of false, true')
  })
})
