/** A queue that gives each owner its turn, so that an owner with many items does not delay the others. */
export class FairQueue<T> {
  private readonly byOwner = new Map<string, T[]>()
  private count = 0

  get size(): number {
    return this.count
  }

  /** Returns how many items of an owner wait. */
  sizeOf(owner: string): number {
    return this.byOwner.get(owner)?.length ?? 0
  }

  push(owner: string, item: T): void {
    const own = this.byOwner.get(owner)
    if (own) own.push(item)
    else this.byOwner.set(owner, [item])
    this.count++
  }

  /** Removes and returns the oldest item of the owner whose turn it is. */
  shift(): T | undefined {
    const [next] = this.byOwner
    if (next === undefined) return undefined
    const [owner, own] = next
    const item = own.shift()
    this.byOwner.delete(owner)
    // The owner waits behind all others for its next turn.
    if (own.length > 0) this.byOwner.set(owner, own)
    this.count--
    return item
  }

  /** Removes an item that still waits. */
  remove(owner: string, item: T): void {
    const own = this.byOwner.get(owner)
    const at = own?.indexOf(item) ?? -1
    if (own === undefined || at < 0) return
    own.splice(at, 1)
    if (own.length === 0) this.byOwner.delete(owner)
    this.count--
  }
}
