import { describe, expect, it } from 'vitest'
import { firstPages, nextPages, type PageRead } from './endless-pages.ts'

const read = (index: number, rows: number, next?: string): PageRead => ({ index, rows, next })
const after = (...changes: PageRead[]) => changes.reduce(nextPages, firstPages)

describe('the pages of an endless list', () => {
  it('has an unread page after each page that is not the last', () => {
    expect(after(read(0, 100, 'a'))).toMatchObject([
      { token: undefined, rows: 100, isRead: true },
      { token: 'a', rows: 0, isRead: false },
    ])
    expect(after(read(0, 100, 'a'), read(1, 20))).toHaveLength(2)
  })

  it('keeps the rows of the pages after a page that is read again', () => {
    const pages = after(read(0, 100, 'a'), read(1, 100, 'b'), read(2, 20), read(0, 100, 'other'))
    expect(pages.map(({ token, rows, isRead }) => [token, rows, isRead])).toEqual([
      [undefined, 100, true],
      ['other', 100, true],
      ['b', 20, true],
    ])
  })

  it('drops the pages after a page that became the last', () => {
    const pages = after(read(0, 100, 'a'), read(1, 100, 'b'), read(2, 20), read(0, 99))
    expect(pages.map(({ rows }) => rows)).toEqual([99])
  })

  it('returns the same pages if nothing changed', () => {
    const pages = after(read(0, 100, 'a'))
    expect(nextPages(pages, read(0, 100, 'a'))).toBe(pages)
    expect(nextPages(pages, read(7, 1))).toBe(pages)
  })
})
