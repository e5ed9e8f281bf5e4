import { expect, it } from 'vitest'
import { marksOf } from './fault-marks.ts'

const text = '{\n  "name": "",\n  "rules": [\n    {"priority": "x"}\n  ]\n}'

it('marks each fault of the server at its line, in the order of the text', () => {
  const faults = [
    { path: 'rules[0].priority', message: 'must be a number' },
    { path: 'rules', message: 'rules are odd' },
    { path: 'name', message: 'must not be empty' },
    { path: '', message: 'no connection' },
  ]
  const marks = marksOf(text, undefined, faults)
  expect(marks.map(({ line, message }) => [line, message])).toEqual([
    [2, 'must not be empty'],
    [3, 'rules are odd'],
    [4, 'must be a number'],
  ])
  expect(marks.map(({ from, to }) => text.slice(from, to))).toEqual(['""', '[', '"x"'])
})

it('marks where a text stops to be JSON', () => {
  expect(marksOf('{\n  "name": x\n}', 'Line 2 is not valid JSON.', [])).toEqual([
    { from: 12, to: 13, line: 2, message: 'Line 2 is not valid JSON.' },
  ])
  expect(marksOf('[1,\n2]', 'The text must be an object.', [])).toMatchObject([{ from: 0, to: 3, line: 1 }])
})

it('marks the first of many faults', () => {
  const faults = Array.from({ length: 500 }, () => ({ path: 'name', message: 'x' }))
  expect(marksOf(text, undefined, faults)).toHaveLength(20)
})
