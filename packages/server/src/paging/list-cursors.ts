import { createHash } from 'node:crypto'
import { invalid } from '../refusal.ts'
import { uuidOfHex } from '../text/uuid-of-hex.ts'

const idBytes = 16
const checkBytes = 8

/**
 * The cursors of one list. Callers cannot read the content of a cursor. A cursor is valid in one tenant. `parameter` is the
 * name of the query parameter that contains the cursor.
 */
export class ListCursors {
  private readonly list: string
  private readonly parameter: string

  constructor(list: string, parameter: string) {
    this.list = list
    this.parameter = parameter
  }

  /** Creates the cursor for the rows that come after this row. */
  after(tenantId: string, id: string): string {
    return Buffer.concat([Buffer.from(id.replaceAll('-', ''), 'hex'), this.check(tenantId, id)]).toString('base64url')
  }

  /**
   * Returns the id of the row that the cursor was created for. Throws 400 for a damaged cursor and for a cursor of another tenant or
   * list.
   */
  idBefore(tenantId: string, cursor: string): string {
    const bytes = Buffer.from(cursor, 'base64url')
    const id = uuidOfHex(bytes.toString('hex', 0, idBytes))
    if (bytes.length !== idBytes + checkBytes || this.after(tenantId, id) !== cursor) {
      throw invalid(`${this.parameter} is not a cursor of this list`)
    }
    return id
  }

  private check(tenantId: string, id: string): Buffer {
    return createHash('sha256').update(`${this.list} ${tenantId} ${id}`).digest().subarray(0, checkBytes)
  }
}
