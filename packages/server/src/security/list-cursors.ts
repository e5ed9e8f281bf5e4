import { createHash } from 'node:crypto'
import { invalid } from '../refusal.ts'

const idBytes = 16
const checkBytes = 8

/** The cursors of one list, opaque to the caller and valid in one tenant. `parameter` is the one that callers send them in. */
export class ListCursors {
  private readonly list: string
  private readonly parameter: string

  constructor(list: string, parameter: string) {
    this.list = list
    this.parameter = parameter
  }

  /** Names the place after a row. */
  after(tenantId: string, id: string): string {
    return Buffer.concat([Buffer.from(id.replaceAll('-', ''), 'hex'), this.check(tenantId, id)]).toString('base64url')
  }

  /** The id of the row that a cursor names the place after. @throws 400 for a damaged cursor and for another tenant's */
  idBefore(tenantId: string, cursor: string): string {
    const bytes = Buffer.from(cursor, 'base64url')
    const id = bytes
      .subarray(0, idBytes)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    if (bytes.length !== idBytes + checkBytes || this.after(tenantId, id) !== cursor) {
      throw invalid(`${this.parameter} is not one that this list gave`)
    }
    return id
  }

  private check(tenantId: string, id: string): Buffer {
    return createHash('sha256').update(`${this.list} ${tenantId} ${id}`).digest().subarray(0, checkBytes)
  }
}
