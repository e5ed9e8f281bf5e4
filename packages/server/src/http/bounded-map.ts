/** A map that forgets what it has known longest when it is full. */
export class BoundedMap<V> {
  private readonly known = new Map<string, V>()
  private readonly capacity: number

  constructor(capacity: number) {
    this.capacity = capacity
  }

  get(key: string): V | undefined {
    return this.known.get(key)
  }

  set(key: string, value: V): void {
    if (this.known.size >= this.capacity && !this.known.has(key)) this.forgetOldest()
    this.known.set(key, value)
  }

  delete(key: string): void {
    this.known.delete(key)
  }

  private forgetOldest(): void {
    const oldest = this.known.keys().next()
    if (!oldest.done) this.known.delete(oldest.value)
  }
}
