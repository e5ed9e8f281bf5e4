import { expect, it } from 'vitest'
import { type DiffRow, diffLines } from './diff-lines.ts'

const textOf = (row: DiffRow) => {
  const side = (part: 'before' | 'after') =>
    part in row
      ? (row as { before: { parts: { text: string }[] } })[part as 'before'].parts.map(({ text }) => text).join('')
      : ''
  return row.is === 'skipped' ? [row.is, row.lines] : [row.is, side('before'), side('after')]
}

it('equal texts have no changed row', () => {
  expect(diffLines('a\nb', 'a\nb').map(textOf)).toEqual([['skipped', 2]])
  expect(diffLines('', '')).toEqual([])
})

it('a changed line keeps its equal words', () => {
  const [row] = diffLines('"value": 20000', '"value": 10000')
  expect(row).toEqual({
    is: 'changed',
    before: {
      line: 1,
      parts: [
        { text: '"value": ', isChanged: false },
        { text: '20000', isChanged: true },
      ],
    },
    after: {
      line: 1,
      parts: [
        { text: '"value": ', isChanged: false },
        { text: '10000', isChanged: true },
      ],
    },
  })
})

it('lines that were added or removed have one side', () => {
  expect(diffLines('a\nb', 'a\nx\nb').map(textOf)).toEqual([
    ['same', 'a', 'a'],
    ['added', '', 'x'],
    ['same', 'b', 'b'],
  ])
  expect(diffLines('a\nb', 'b').map(textOf)).toEqual([
    ['removed', 'a', ''],
    ['same', 'b', 'b'],
  ])
  expect(diffLines('', 'a').map(textOf)).toEqual([['added', '', 'a']])
})

it('three equal lines stay around a change', () => {
  const lines = Array.from({ length: 10 }, (_, index) => String(index))
  const after = [...lines.slice(0, 9), 'nine'].join('\n')
  expect(diffLines(lines.join('\n'), after).map(textOf)).toEqual([
    ['skipped', 6],
    ['same', '6', '6'],
    ['same', '7', '7'],
    ['same', '8', '8'],
    ['changed', '9', 'nine'],
  ])
})
