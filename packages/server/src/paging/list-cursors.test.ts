import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newId } from '../db/ids/new-id.ts'
import { ListCursors } from './list-cursors.ts'

const [tenant, other] = [newId(), newId()]
const cursors = new ListCursors('agents', 'page_token')

describe('cursors', () => {
  it('contain the id of their row', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(cursors.idBefore(tenant, cursors.after(tenant, id))).toBe(id)
      }),
    )
  })

  it('400 for the cursor of another tenant', () => {
    expect(() => cursors.idBefore(tenant, cursors.after(other, newId()))).toThrow('page_token')
  })

  it('400 for the cursor of another list', () => {
    expect(() => cursors.idBefore(tenant, new ListCursors('audit', 'cursor').after(tenant, newId()))).toThrow(
      'page_token',
    )
  })

  it('400 for a cursor with one character changed, removed or added', () => {
    const cursor = cursors.after(tenant, newId())
    for (let at = 0; at < cursor.length; at++) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
      expect(() => cursors.idBefore(tenant, changed)).toThrow('page_token')
    }
    for (const damaged of ['', 'x', cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, ` ${cursor}`, `${cursor}=`]) {
      expect(() => cursors.idBefore(tenant, damaged)).toThrow('page_token')
    }
  })

  it('400 for any text that is not a cursor', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => cursors.idBefore(tenant, text)).toThrow('page_token')
      }),
    )
  })
})
