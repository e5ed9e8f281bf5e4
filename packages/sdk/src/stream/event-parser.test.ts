import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventParser } from './event-parser.ts'

const parse = (...pieces: string[]) => {
  const parser = new EventParser()
  return pieces.flatMap((piece) => parser.feed(piece))
}

describe('server-sent events', () => {
  test('a block ends at an empty line; a comment alone is no block', () => {
    expect(parse('id: 1\nevent: a\ndata: {}\n\n: comment\n\n')).toEqual([{ id: '1', event: 'a', data: '{}' }])
  })

  test('an id without data is a block, because it is a place to continue from', () => {
    expect(parse(': keep-alive\nid: 7\n\n')).toEqual([{ id: '7' }])
  })

  test('several data lines are joined; one space after the colon is removed; unknown fields are ignored', () => {
    expect(parse('data: a\ndata:  b\ndata\nretry: 5\nother: x\n\n')).toEqual([{ data: 'a\n b\n' }])
  })

  test('an id with NUL is ignored; a byte order mark at the start too', () => {
    expect(parse('\uFEFFid: a\0b\ndata: x\n\n')).toEqual([{ data: 'x' }])
  })

  test('a block that is too long is an error', () => {
    const parser = new EventParser()
    const feed = () => {
      for (let at = 0; at < 5; at++) parser.feed(`data: ${'x'.repeat(1024 * 1024)}\n`)
    }
    expect(feed).toThrow(RangeError)
  })

  test('the pieces in which the stream arrives and the kind of line ends change nothing', () => {
    const text = 'id: 1\nevent: a\ndata: {"a":1}\n\n: x\nid: 2\n\ndata: b\ndata: c\n\nid: 3\n'
    const expected = parse(text)
    const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 80 })
    fc.assert(
      fc.property(fc.constantFrom('\n', '\r', '\r\n'), cuts, (end, lengths) => {
        let rest = text.replaceAll('\n', end)
        const pieces = lengths.map((length) => {
          const piece = rest.slice(0, length)
          rest = rest.slice(length)
          return piece
        })
        // Without a further line, a carriage return at the very end might be half a line end.
        expect(parse(...pieces, rest, end === '\r' ? ' ' : '')).toEqual(expected)
      }),
    )
  })
})
