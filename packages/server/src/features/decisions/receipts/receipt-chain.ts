/** A record of a chain: its place and its hashes, without its content. */
export interface ChainRow {
  seq: number
  prev: string
  hash: string
  digest: string
  /** Signature of the batch that ends with this record. */
  signature: string | null
}

export interface Anchor {
  seq: number
  hash: string
  entryId: string
}

const byHash = (anchors: readonly Anchor[]) => new Map(anchors.map((anchor) => [anchor.hash, anchor]))

/** Follows a chain backwards. Take the rows in descending order of `seq`. After a fork, several rows may have one number. */
export class BackwardWalk {
  /** The rows that were found, in descending order. */
  readonly rows: ChainRow[] = []
  /** Number and hash before the last row that was found. */
  start: { seq: number; hash: string }
  private readonly anchors: ReadonlyMap<string, Anchor>
  private isCut = false

  constructor(record: ChainRow, anchors: readonly Anchor[]) {
    this.start = { seq: record.seq - 1, hash: record.prev }
    this.anchors = byHash(anchors)
  }

  /** The anchor that was reached. Null before that, and if the chain has no anchor before the record. */
  get anchor(): Anchor | null {
    const found = this.anchors.get(this.start.hash)
    return found?.seq === this.start.seq ? found : null
  }

  /** True at an anchor and at the beginning of the chain. */
  get isWhole(): boolean {
    return this.start.seq <= 0 || this.anchor !== null
  }

  /** True if no further row is needed, or if a row is missing. */
  get isDone(): boolean {
    return this.isCut || this.isWhole
  }

  take(row: ChainRow): void {
    if (this.isDone || row.seq > this.start.seq) return
    if (row.seq < this.start.seq) this.isCut = true
    else if (row.hash === this.start.hash) {
      this.rows.push(row)
      this.start = { seq: row.seq - 1, hash: row.prev }
    }
  }
}

interface Node {
  row: ChainRow
  before: Node | null
  isSigned: boolean
  anchor: Anchor | null
}

/**
 * Follows a chain forwards to the next anchor and to the end of a signed batch. Take the rows in ascending order of `seq`, beginning after
 * the record. After a fork, several rows may follow one row, and all branches are followed.
 */
export class ForwardWalk {
  private readonly anchors: ReadonlyMap<string, Anchor>
  private readonly lastAnchor: number
  private seq: number
  /** The nodes at `seq`, and those after it that were found so far. By hash. */
  private level = new Map<string, Node>()
  private next = new Map<string, Node>()
  /** The first node that is the end of a signed batch, and the first one that also has an anchor at it or before it. */
  private signed: Node | null = null
  private anchored: Node | null = null
  private isCut = false

  constructor(record: ChainRow, anchors: readonly Anchor[]) {
    this.anchors = byHash(anchors)
    this.lastAnchor = anchors.at(-1)?.seq ?? 0
    this.seq = record.seq
    this.level.set(record.hash, this.reach(record, null))
  }

  get anchor(): Anchor | null {
    return this.anchored?.anchor ?? null
  }

  /** The rows from the record on, in ascending order. Null if no signature covers the record. */
  get rows(): ChainRow[] | null {
    const end = this.anchored ?? this.signed
    if (!end) return null
    const rows: ChainRow[] = []
    for (let node: Node | null = end; node; node = node.before) rows.push(node.row)
    return rows.reverse()
  }

  /** True at an anchor, or at the end of a signed batch if there is no anchor. */
  get isWhole(): boolean {
    return this.anchored !== null || (this.signed !== null && this.lastAnchor <= this.seq)
  }

  /** True if no further row is needed, or if a row is missing. */
  get isDone(): boolean {
    return this.isCut || this.isWhole
  }

  take(row: ChainRow): void {
    if (this.isDone || row.seq <= this.seq) return
    if (row.seq > this.seq + 1) this.advance()
    if (row.seq > this.seq + 1) this.isCut = true
    const before = this.level.get(row.prev)
    if (!this.isCut && before && !this.next.has(row.hash)) this.next.set(row.hash, this.reach(row, before))
  }

  /** The rows of the next number are complete. */
  private advance(): void {
    if (this.next.size === 0) return
    this.level = this.next
    this.next = new Map()
    this.seq++
  }

  private reach(row: ChainRow, before: Node | null): Node {
    const found = this.anchors.get(row.hash)
    const anchor = before?.anchor ?? (found?.seq === row.seq ? found : null)
    const node: Node = { row, before, isSigned: before?.isSigned === true || row.signature !== null, anchor }
    if (node.isSigned) this.signed ??= node
    if (node.isSigned && anchor) this.anchored ??= node
    return node
  }
}
