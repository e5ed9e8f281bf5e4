import { describe, expect, it } from 'vitest'
import { firstPages, nextPages, type PageRead } from './endless-pages.ts'

const rowsOf = (index: number, rows: number, name = 'bot') =>
  Array.from({ length: rows }, (_, row) => ({ id: `${index}-${row}`, name }))
const read = (index: number, rows: number, next?: string): PageRead => ({ index, rows: rowsOf(index, rows), next })
const after = (...changes: PageRead[]) => changes.reduce(nextPages, firstPages)

describe('the pages of an endless list', () => {
  it('has an unread page after each page that is not the last', () => {
    expect(after(read(0, 100, 'a'))).toMatchObject([
      { token: undefined, rows: rowsOf(0, 100), isRead: true },
      { token: 'a', rows: [], isRead: false },
    ])
    expect(after(read(0, 100, 'a'), read(1, 20))).toHaveLength(2)
  })

  it('keeps the rows of the pages after a page that is read again', () => {
    const pages = after(read(0, 100, 'a'), read(1, 100, 'b'), read(2, 20), read(0, 100, 'other'))
    expect(pages.map(({ token, rows, isRead }) => [token, rows.length, isRead])).toEqual([
      [undefined, 100, true],
      ['other', 100, true],
      ['b', 20, true],
    ])
  })

  it('drops the pages after a page that became the last', () => {
    const pages = after(read(0, 100, 'a'), read(1, 100, 'b'), read(2, 20), read(0, 99))
    expect(pages.map(({ rows }) => rows)).toEqual([rowsOf(0, 99)])
  })

  it('remembers only the id and the name of a row, and a new name', () => {
    const rows = rowsOf(0, 2).map((row) => ({ ...row, owner: 'Kari' }))
    const pages = nextPages(firstPages, { index: 0, rows, next: undefined })
    expect(pages[0]?.rows).toEqual(rowsOf(0, 2))
    const renamed = rowsOf(0, 2, 'payment-bot')
    expect(nextPages(pages, { index: 0, rows: renamed, next: undefined })[0]?.rows).toEqual(renamed)
  })

  it('returns the same pages if nothing changed', () => {
    const pages = after(read(0, 100, 'a'))
    expect(nextPages(pages, read(0, 100, 'a'))).toBe(pages)
    expect(nextPages(pages, read(7, 1))).toBe(pages)
  })
})
