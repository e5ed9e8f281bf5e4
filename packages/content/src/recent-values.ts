/** Keeps the values of the keys that were used last. */
export class RecentValues<V> {
  private readonly most: number
  private readonly values = new Map<string, V>()

  constructor(most: number) {
    this.most = most
  }

  /** Returns the value of a key. Calls `create` if the key has none. Keeps nothing if `create` throws. */
  get(key: string, create: () => V): V {
    const found = this.values.get(key)
    const value = found === undefined ? create() : found
    this.values.delete(key)
    this.values.set(key, value)
    if (this.values.size > this.most) this.values.delete(this.values.keys().next().value as string)
    return value
  }
}
