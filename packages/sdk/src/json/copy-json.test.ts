import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bodyText, copyJson } from './copy-json.ts'

/** JSON values whose numbers are below 2^53. */
const exactJson = (constraints: fc.JsonSharedConstraints) =>
  fc.jsonValue(constraints).map((value) => {
    const below = (_: string, part: unknown) =>
      typeof part === 'number' && Math.abs(part) >= 2 ** 53 ? 1 / part : part
    return JSON.parse(JSON.stringify(value), below) as fc.JsonValue
  })

const cyclic: Record<string, unknown> = {}
cyclic.self = { list: [cyclic] }
let deep: unknown[] = []
for (let level = 0; level < 100; level++) deep = [deep]
class Money {
  amount = 5
}

describe('rejects what JSON cannot represent exactly, and names its path', () => {
  test.each<[string, unknown, string]>([
    ['a Date', { at: new Date(0) }, 'value.at is a Date'],
    ['a Map', { all: new Map() }, 'value.all is a Map'],
    ['a Set', [new Set()], 'value[0] is a Set'],
    ['a class instance', new Money(), 'value is a Money'],
    ['a boxed number', { n: Object(5) }, 'value.n is a Number'],
    ['bytes', { data: new Uint8Array(1) }, 'value.data is a Uint8Array'],
    ['a function', { run: () => 5 }, 'value.run is a function'],
    ['a toJSON method', { a: { toJSON: () => 5 } }, 'value.a.toJSON is a function'],
    ['a bigint', { n: 5n }, 'value.n is a bigint'],
    ['a symbol', { s: Symbol('s') }, 'value.s is a symbol'],
    ['a symbol key', { [Symbol('s')]: 5 }, 'value is an object with a symbol key'],
    ['NaN', { n: Number.NaN }, 'value.n is NaN'],
    ['infinity', { n: [-Infinity] }, 'value.n[0] is -Infinity'],
    ['an integer that JavaScript rounds', { n: [2 ** 53] }, 'value.n[0] is 9007199254740992, a number above 2'],
    ['undefined in a list', { list: [undefined] }, 'value.list[0] is undefined'],
    ['an array with a gap', { list: new Array(1) }, 'value.list is an array with gaps'],
    [
      'an array with named properties',
      { list: Object.assign([5], { index: 0 }) },
      'value.list is an array with gaps or with named properties',
    ],
    ['a cycle', cyclic, 'value.self.list[0] is an object that contains itself'],
    ['too many levels', deep, 'nested more than 100 levels deep'],
  ])('%s', (_, value, error) => {
    expect(() => copyJson(value, 'value')).toThrow(new RegExp(error.replace(/[.[\]]/g, '\\$&')))
    expect(() => copyJson(value, 'value')).toThrow(TypeError)
  })

  test('a getter, which is not run', () => {
    let runs = 0
    const value = {
      get amount() {
        return ++runs
      },
    }
    expect(() => copyJson(value, 'value')).toThrow('value.amount is a getter')
    expect(runs).toBe(0)
  })
})

test.each<[string, unknown, string]>([
  ['values', [], 'value has more than 1000000 keys and values'],
  ['characters', 'x'.repeat(1 << 20), 'value has more than 67108864 characters'],
  ['characters of keys', { ['x'.repeat(1 << 20)]: 0 }, 'value has more than 67108864 characters'],
])('rejects a few shared objects that expand to too many %s', (_, inner, error) => {
  let value = inner
  for (let level = 0; level < 60; level++) value = { first: value, second: value }
  expect(() => copyJson(value, 'value')).toThrow(error)
})

test('copies plain data completely, without sharing objects with the original', () => {
  fc.assert(
    fc.property(exactJson({ maxDepth: 5 }), (value) => {
      const copied = copyJson(value, 'value')
      expect(JSON.stringify(copied)).toBe(JSON.stringify(value))
    }),
  )
  const value = { list: [{ a: 1 }], inner: { b: [2] } }
  const copied = copyJson(value, 'value') as typeof value
  value.inner.b.push(3)
  Object.assign(value.list[0] ?? {}, { a: 9 })
  expect(copied).toEqual({ list: [{ a: 1 }], inner: { b: [2] } })
})

test('accepts an object that appears twice without a cycle', () => {
  const shared = { a: 1 }
  expect(copyJson({ x: shared, y: [shared] }, 'value')).toEqual({ x: { a: 1 }, y: [{ a: 1 }] })
})

test('accepts objects without a prototype and objects of another realm', () => {
  expect(copyJson(Object.assign(Object.create(null), { a: 1 }), 'value')).toEqual({ a: 1 })
  expect(copyJson(runInNewContext('({ a: [1, { b: 2 }] })'), 'value')).toEqual({ a: [1, { b: 2 }] })
})

test('copies the key "__proto__" like any other key', () => {
  const copied = copyJson(JSON.parse('{"__proto__": {"admin": true}}'), 'value')
  expect(JSON.stringify(copied)).toBe('{"__proto__":{"admin":true}}')
  expect((copied as { admin?: boolean }).admin).toBeUndefined()
})

test('omits undefined properties, and copies negative zero as zero', () => {
  expect(copyJson({ a: undefined, b: -0 }, 'value')).toEqual({ b: 0 })
})

test('a body is written as JSON.stringify writes it, except that a number above 2^53, not finite or a bigint is rejected with its field', () => {
  const inexact = fc.oneof(
    fc.constantFrom(Number.NaN, Infinity, -Infinity, 2 ** 53, -(2 ** 53)),
    fc.double({ min: 2 ** 53, noNaN: true }),
    fc.bigInt(),
  )
  fc.assert(
    fc.property(exactJson({ maxDepth: 2 }), inexact, (value, number) => {
      expect(bodyText(value)).toBe(JSON.stringify(value))
      expect(() => bodyText({ value, list: [0, { number }] })).toThrow(/^body\.list\[1\]\.number is /)
    }),
  )
})
